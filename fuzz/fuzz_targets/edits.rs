//! A good model, spoiled by a few edits that keep the file readable.
#![no_main]

libfuzzer_sys::fuzz_target!(|edits: &[u8]| {
    let model = qcrs_fuzz::edited(edits);
    qcrs_fuzz::read_and_run(&model.write_buf().expect("a model in memory can be written"));
});
