//! Any bytes as a model: an error or a network, and nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|model: &[u8]| qcrs_fuzz::read_and_run(model));
