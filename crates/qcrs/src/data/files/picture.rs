//! How does an image file become pixels?

use super::bounded::read_file;
use super::{Channels, OpenOptions, byte_to_pixel, jpeg};
use crate::types::Error;
use image::imageops::{self, FilterType};
use image::{
    DynamicImage, ExtendedColorType, GenericImageView, ImageDecoder, ImageFormat, ImageReader, Limits,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::Path;

/// The longest side that an image file may have.
const MAX_SIDE: u32 = 16384;
/// The most bytes that an image file may unpack to.
const MAX_BYTES: u64 = 512 << 20;

/// The largest size of an image file.
const MAX_FILE: u64 = 1 << 30;

/// The same treatment for every image of a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Treatment {
    pub resize: Option<u32>,
    pub crop: Option<u32>,
    pub channels: Channels,
}

impl From<&OpenOptions> for Treatment {
    fn from(options: &OpenOptions) -> Self {
        Self { resize: options.resize, crop: options.crop, channels: options.channels }
    }
}

impl Treatment {
    /// Refuses sizes of 0, and squares that no image can fill.
    pub(super) fn check(&self) -> Result<(), Error> {
        match (self.resize, self.crop) {
            (Some(0), _) | (_, Some(0)) => Err(Error::setting(
                if self.resize == Some(0) { "resize" } else { "crop" },
                "must be at least 1 pixel, got 0",
            )),
            (Some(resize), Some(crop)) if crop > resize => Err(Error::setting(
                "crop",
                format!("{crop} is larger than resize {resize}; choose a smaller crop"),
            )),
            _ => Ok(()),
        }
    }

    /// Height and width of the result for every image, if they do not depend on the image.
    pub(super) fn fixed_size(&self) -> Option<(u32, u32)> {
        self.resize.and(self.crop).map(|side| (side, side))
    }

    /// Height and width of the result for an image of this size.
    pub(super) fn size_of(&self, (height, width): (u32, u32), path: &Path) -> Result<(u32, u32), Error> {
        let (height, width) = self.resize.map_or((height, width), |side| scaled(side, height, width));
        match self.crop {
            Some(crop) if crop > height.min(width) => {
                let problem =
                    format!("is {width}x{height}, too small to crop {crop}; resize it to {crop} first");
                Err(Error::format(path, problem))
            }
            Some(crop) => Ok((crop, crop)),
            None => Ok((height, width)),
        }
    }

    /// Reads a file as [`Treatment::pixels`] does.
    pub(super) fn read(&self, path: &Path) -> Result<Vec<f32>, Error> {
        self.pixels(&read_file(path, MAX_FILE)?, path)
    }

    /// Decodes the bytes of a file and applies the treatment; `path` is for messages.
    ///
    /// Scaling is bilinear with a triangle filter widened for shrinking, as PIL and torchvision do
    /// it, to 8 bits; the crop is torchvision's CenterCrop. On photographs the result differs
    /// from PIL's by at most 1 of 255 for PNG (measured, up to 15 % of values) and 2 for JPEG, whose
    /// decoders differ. Like torchvision it ignores EXIF rotation and drops transparency.
    pub(super) fn pixels(&self, bytes: &[u8], path: &Path) -> Result<Vec<f32>, Error> {
        let image = decode(bytes, path)?;
        let (height, width) = self.size_of((image.height(), image.width()), path)?;
        let mut image = image.into_rgb8();
        if let Some(side) = self.resize {
            let (height, width) = scaled(side, image.height(), image.width());
            if (height, width) != (image.height(), image.width()) {
                image = imageops::resize(&image, width, height, FilterType::Triangle);
            }
        }
        let (top, left) = (centred(image.height(), height), centred(image.width(), width));
        let view = image.view(left, top, width, height);
        if self.channels == Channels::Grey
            && view.pixels().any(|(.., p)| p.0[0] != p.0[1] || p.0[1] != p.0[2])
        {
            return Err(Error::format(path, "has colour in it; read it with 3 channels"));
        }
        let plane = |channel: usize| view.pixels().map(move |(.., pixel)| byte_to_pixel(pixel.0[channel]));
        Ok((0..self.channels.count()).flat_map(plane).collect())
    }

    /// The treatment in words.
    pub(super) fn words(&self) -> String {
        let resize =
            self.resize.map(|side| format!("shorter side to {side} (triangle filter, antialiased, 8 bits)"));
        let crop = self.crop.map(|side| format!("centre crop {side}"));
        let channels = if self.channels == Channels::Grey { "grey, value/255" } else { "RGB, value/255" };
        resize.into_iter().chain(crop).chain([channels.to_owned()]).collect::<Vec<_>>().join(", ")
    }
}

/// Height and width from a file's header.
pub(super) fn header_size(path: &Path) -> Result<(u32, u32), Error> {
    size(BufReader::new(File::open(path).map_err(Error::io(path))?), path)
}

/// Height and width from the header of a file that is open or in memory; `path` is for messages.
pub(super) fn size(file: impl BufRead + Seek, path: &Path) -> Result<(u32, u32), Error> {
    let decoder = reader(file, path)?.into_decoder().map_err(|error| unreadable(path, &error))?;
    let (width, height) = decoder.dimensions();
    Ok((height, width))
}

fn decode(bytes: &[u8], path: &Path) -> Result<DynamicImage, Error> {
    let reader = reader(Cursor::new(bytes), path)?;
    if reader.format() != Some(ImageFormat::Jpeg) {
        return unpack(reader, path);
    }
    let cut_off = || Error::format(path, "is a JPEG that is cut off; download or save it again");
    let end = jpeg::end(bytes).ok_or_else(cut_off)?;
    let image = unpack(reader, path)?;
    let more = unpack(self::reader(Cursor::new(jpeg::with_more(bytes, end)), path)?, path);
    if more.is_ok_and(|more| more == image) { Ok(image) } else { Err(cut_off()) }
}

fn unpack<R: BufRead + Seek>(reader: ImageReader<R>, path: &Path) -> Result<DynamicImage, Error> {
    let decoder = reader.into_decoder().map_err(|error| unreadable(path, &error))?;
    let kind = decoder.original_color_type();
    if matches!(
        kind,
        ExtendedColorType::L16
            | ExtendedColorType::La16
            | ExtendedColorType::Rgb16
            | ExtendedColorType::Rgba16
    ) {
        return Err(Error::format(path, "has 16 bits per value; save it with 8, or use .npy"));
    }
    if decoder.total_bytes() > MAX_BYTES {
        return Err(Error::format(path, format!("unpacks to more than {MAX_BYTES} bytes; scale it down")));
    }
    DynamicImage::from_decoder(decoder).map_err(|error| unreadable(path, &error))
}

fn reader<R: BufRead + Seek>(file: R, path: &Path) -> Result<ImageReader<R>, Error> {
    // by content: ImageNet has a PNG that is called JPEG
    let mut reader = ImageReader::new(file).with_guessed_format().map_err(Error::io(path))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits);
    Ok(reader)
}

fn unreadable(path: &Path, error: &image::ImageError) -> Error {
    Error::format(path, format!("cannot be read as PNG or JPEG ({error}); replace or remove it"))
}

/// Height and width with the shorter side at `side`; the longer is cut to a whole pixel as in torchvision.
fn scaled(side: u32, height: u32, width: u32) -> (u32, u32) {
    let long = |long: u32, short: u32| (u64::from(side) * u64::from(long) / u64::from(short.max(1))) as u32;
    if height <= width { (side, long(width, height)) } else { (long(height, width), side) }
}

/// Where a centred stretch of `size` starts; halves go to the even pixel as in torchvision.
fn centred(whole: u32, size: u32) -> u32 {
    (f64::from(whole - size) / 2.0).round_ties_even() as u32
}
