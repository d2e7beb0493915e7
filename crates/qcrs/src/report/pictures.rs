//! What does an input look like, without and with the noise of its certificate?

use super::format::down;
use crate::analysis::{Analysis, Row, Table};
use crate::data::Opened;
use crate::noise::{NoiseKind, Phase, Stream};
use crate::types::{Error, Sigma};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

/// An input as the classifier sees it, without and with noise.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The index of the input in its dataset.
    pub index: u32,
    /// What to call it: its file, or else its index.
    pub name: String,
    /// The name of its class; empty when not known.
    pub label_name: String,
    /// The input as a PNG file.
    pub clean_png: Vec<u8>,
    /// One noisy copy of it as a PNG file.
    pub noisy_png: Vec<u8>,
    /// What to say below, such as σ and radius.
    pub caption: String,
    /// The run whose answer that is.
    pub run: String,
}

/// The first `count` inputs of the last run under Gaussian noise, as they are and under the noise of their σ.
/// `opened` must be the data of that run. None where no run is under Gaussian noise, or images have neither
/// one channel nor three.
pub fn pictures(analysis: &Analysis, opened: &Opened, count: usize) -> Result<Vec<Picture>, Error> {
    let gaussian =
        |table: &&Table| table.spec.as_ref().is_some_and(|spec| spec.method.facts().other_law.is_none());
    let Some(table) = analysis.tables.iter().rev().find(gaussian) else {
        return Ok(Vec::new());
    };
    let about = table.spec.as_ref().map(|spec| &spec.data);
    if about.is_some_and(|data| data.blake3 != opened.about.blake3) {
        return Err(Error::setting("data", format!("this is not the data of {}", table.name)));
    }
    if ![1, 3].contains(&opened.dataset.shape()[0]) {
        return Ok(Vec::new());
    }
    table.rows.iter().take(count).map(|row| picture(table, row, opened)).collect()
}

fn picture(table: &Table, row: &Row, opened: &Opened) -> Result<Picture, Error> {
    let (shape, example) = (opened.dataset.shape(), opened.dataset.get(row.index as usize)?);
    let mut noisy = example.pixels.clone();
    if let Some(sigma) = row.sigma {
        let stream = Stream { seed: 0, input: row.index, phase: Phase::Curve };
        let kind = table.spec.as_ref().map_or(NoiseKind::Float, |spec| spec.noise);
        let law = kind.at(Sigma::new(sigma)?, noisy.len());
        law.copies_of(&example.pixels)?.write(&stream, 0, &mut noisy);
    }
    let answer = match row.predicted {
        Some(class) => format!("{}, radius {}", table.class_name(class), down(row.radius, 3)),
        None => "abstains".into(),
    };
    let sigma = row.sigma.map_or(String::new(), |sigma| format!("σ = {sigma:.3}: "));
    Ok(Picture {
        index: row.index,
        name: row.name(),
        label_name: row.label.map_or(String::new(), |label| table.class_name(label)),
        clean_png: png(&example.pixels, shape)?,
        noisy_png: png(&noisy, shape)?,
        caption: format!("{sigma}{answer}"),
        run: table.name.clone(),
    })
}

/// Pixels in [0, 1], clipped for display only, as a PNG file.
fn png(pixels: &[f32], [channels, height, width]: [usize; 3]) -> Result<Vec<u8>, Error> {
    let byte = |channel: usize, at: usize| {
        (pixels[channel * height * width + at].clamp(0.0, 1.0) * 255.0).round() as u8
    };
    let bytes: Vec<u8> = (0..height * width).flat_map(|at| (0..channels).map(move |c| byte(c, at))).collect();
    let color = if channels == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 };
    let mut file = Vec::new();
    PngEncoder::new(&mut file)
        .write_image(&bytes, width as u32, height as u32, color)
        .map_err(|error| Error::Invalid(format!("a picture for the page could not be written: {error}")))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Options;
    use crate::analysis::tests::{from_run, record, spec};
    use crate::data::{About, InMemory};
    use crate::run::Spec;

    /// The bytes of a PNG, pixel by pixel.
    fn read(png: &[u8]) -> Vec<u8> {
        image::load_from_memory(png).unwrap().into_bytes()
    }

    fn analysis(images: &InMemory) -> (Analysis, Opened) {
        let opened = Opened::of_images("toys", images.clone());
        let plain = spec(3);
        let about = About { classes: plain.data.classes.clone(), ..opened.about.clone() };
        let spec = Spec { data: about, ..plain };
        let records = [record(0, 1, 1, Some(0.56789)), record(2, 0, 1, None)];
        let table = from_run("run".into(), &spec, &records, &[]).unwrap();
        (Analysis::new(vec![table], &Options::default()).unwrap(), opened)
    }

    #[test]
    fn pictures_show_the_inputs_of_the_run_and_what_it_says_of_them() {
        let grey = InMemory::from_bytes([1, 2, 2], (0..12).collect(), None).unwrap();
        let (analysis, opened) = analysis(&grey);
        let shown = pictures(&analysis, &opened, 8).unwrap();
        assert_eq!(shown.iter().map(|picture| picture.index).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(read(&shown[1].clean_png), [8, 9, 10, 11]);
        assert_ne!(read(&shown[1].noisy_png), [8, 9, 10, 11]);
        assert_eq!(shown[0].caption, "σ = 0.500: dog, radius 0.567");
        assert_eq!((shown[0].label_name.as_str(), shown[0].run.as_str()), ("dog", "run"));
        assert!(shown[1].caption.ends_with("abstains"), "{}", shown[1].caption);
        assert_eq!(pictures(&analysis, &opened, 1).unwrap().len(), 1);
    }

    #[test]
    fn other_data_and_other_channels_than_one_or_three_are_not_shown() {
        let (analysis_of_two, two) =
            analysis(&InMemory::from_bytes([2, 1, 2], (0..12).collect(), None).unwrap());
        assert_eq!(pictures(&analysis_of_two, &two, 8).unwrap().len(), 0);
        let other = InMemory::from_bytes([1, 2, 2], (1..13).collect(), None).unwrap();
        let error = pictures(&analysis_of_two, &Opened::of_images("toys", other), 8).unwrap_err();
        assert_eq!(error.to_string(), "data: this is not the data of run");
    }

    #[test]
    fn pixels_are_interleaved_and_clipped() {
        let colour = png(&[0.0, 1.0, -0.5, 2.0, 0.2, 1.0], [3, 1, 2]).unwrap();
        assert_eq!(read(&colour), [0, 0, 51, 255, 255, 255]);
        assert_eq!(read(&png(&[0.5, 0.0, 1.0], [1, 3, 1]).unwrap()), [128, 0, 255]);
    }
}
