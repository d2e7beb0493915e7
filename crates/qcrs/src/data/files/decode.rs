//! What does an image show that came as the bytes of a file?

use super::options::Kind;
use super::picture::{self, Treatment};
use super::{Example, OpenOptions};
use crate::types::Error;
use std::io::Cursor;
use std::path::Path;

/// What messages call an image without a path.
const IMAGE: &str = "the image";

/// One image from the bytes of a PNG or JPEG file, such as the body of an HTTP request: the same pixels as
/// [`open`](super::open) makes of that file, without a label.
///
/// Images of different shapes may have the same number of pixels: compare [`shape_of`] with what the
/// classifier takes.
pub fn decode(bytes: &[u8], options: &OpenOptions) -> Result<Example, Error> {
    let pixels = treatment(options)?.pixels(bytes, Path::new(IMAGE)).map_err(without_path)?;
    Ok(Example::new(pixels, None))
}

/// Channels, height and width of what [`decode`] makes of these bytes, from the header of the file alone.
pub fn shape_of(bytes: &[u8], options: &OpenOptions) -> Result<[usize; 3], Error> {
    let treatment = treatment(options)?;
    let size = picture::size(Cursor::new(bytes), Path::new(IMAGE));
    let (height, width) =
        size.and_then(|size| treatment.size_of(size, Path::new(IMAGE))).map_err(without_path)?;
    Ok([options.channels.count(), height as usize, width as usize])
}

fn treatment(options: &OpenOptions) -> Result<Treatment, Error> {
    if options.labels.is_some() {
        return Err(Error::setting("labels", "are for folders of images, not for one image; leave them out"));
    }
    options.suit(Kind::Pictures, Path::new(IMAGE))?;
    let treatment = Treatment::from(options);
    treatment.check()?;
    Ok(treatment)
}

/// The same error without the path of a file that does not exist.
fn without_path(error: Error) -> Error {
    match error {
        Error::Format { path, problem } => Error::Invalid(format!("{} {problem}", path.display())),
        other => other,
    }
}
