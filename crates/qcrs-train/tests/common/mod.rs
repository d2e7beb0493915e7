//! Images that a network learns in seconds, and settings to learn them with.
#![allow(dead_code)] // each test file uses its own part

pub mod place;

use qcrs::data::{OpenOptions, Split};
use qcrs_train::architecture::Architecture;
use qcrs_train::images::Images;
use qcrs_train::log::{self, Epoch};
use qcrs_train::recipe::{TrainingSettings, gaussian};
use qcrs_train::schedule::Schedule;
use qcrs_train::train::{LOG, Training};
use std::path::Path;
use std::time::Duration;
use tch::Device;

pub const COUNT: usize = 120;

/// Writes 28×28 images in IDX files: class c is a bright bar in rows 7c to 7c + 6.
pub fn write_bars(folder: &Path, part: &str) {
    let (mut images, mut labels) = (vec![0, 0, 8, 3], vec![0, 0, 8, 1]);
    for size in [COUNT, 28, 28] {
        images.extend((size as u32).to_be_bytes());
    }
    labels.extend((COUNT as u32).to_be_bytes());
    for id in 0..COUNT {
        let class = id % 4;
        labels.push(class as u8);
        for pixel in 0..28 * 28 {
            let bright = pixel / 28 / 7 == class;
            // other grain in the test part: the same images twice would be refused
            images.push(
                if bright { 200 } else { 20 }
                    + ((id * 31 + pixel * (if part == "train" { 17 } else { 19 })) % 23) as u8,
            );
        }
    }
    std::fs::write(folder.join(format!("{part}-images-idx3-ubyte")), images).unwrap();
    std::fs::write(folder.join(format!("{part}-labels-idx1-ubyte")), labels).unwrap();
}

pub fn bars(folder: &Path) -> Images {
    write_bars(folder, "train");
    Images::open(folder, &OpenOptions { split: Split::Train, ..OpenOptions::default() }).unwrap()
}

pub fn settings() -> TrainingSettings {
    TrainingSettings {
        epochs: 3,
        batch: 20,
        learning_rate: 0.05,
        schedule: Schedule::OneCycle { warm_up: 0.2 },
        held_out: 20,
        seed: 5,
        ..gaussian::short(Architecture::SmallCnn, 0.25)
    }
}

pub fn training<'a>(images: &'a Images, folder: &Path, settings: TrainingSettings) -> Training<'a> {
    // one thread: the order of additions, and so the last bits, must not depend on the machine's mood
    tch::set_num_threads(1);
    let save_every = Duration::from_mins(10);
    Training { settings, images, folder: folder.to_owned(), device: Device::Cpu, start: None, save_every }
}

/// The log without its times.
pub fn curve(folder: &Path) -> Vec<Epoch> {
    let timeless = |epoch| Epoch { seconds: 0.0, images_per_second: 0.0, ..epoch };
    log::read(&folder.join(LOG)).unwrap().into_iter().map(timeless).collect()
}
