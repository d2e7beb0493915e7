//! Research and measurement: the commands `qcrs paper` and `qcrs bench`.

pub mod bench;
pub mod paper;

use qcrs_terminal::{args, certify, output, progress, settings, setup};
