//! How does a trained network leave for other programs? As ONNX, written by ourselves.
//!
//! | file       | question it answers                         |
//! |------------|---------------------------------------------|
//! | `protobuf` | how is a message put into bytes?            |
//! | `parts`    | which messages does an ONNX file consist of? |
//! | `graph`    | which nodes make a network?                 |

mod graph;
mod parts;
mod protobuf;

use crate::network::Network;
use qcrs::files;
use qcrs::types::Error;
use std::path::Path;

/// The name of the input: [N, C, H, W], pixels in [0, 1] with or without noise.
pub const INPUT: &str = "input";
/// The name of the output: [N, classes], scores; the largest wins.
pub const OUTPUT: &str = "logits";

/// The network as an ONNX model of opset 17 with any batch size. Batch normalisation is folded into
/// the convolutions; scores agree with the trainer's to 1e-4. `metadata` are pairs of key and text.
pub fn encode(network: &Network, metadata: &[(String, String)]) -> Vec<u8> {
    parts::model(&graph::graph(network), metadata)
}

/// Writes the network to `path`, whole or not at all.
pub fn write(path: &Path, network: &Network, metadata: &[(String, String)]) -> Result<(), Error> {
    files::write(path, &encode(network, metadata))
}
