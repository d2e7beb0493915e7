//! Any file: what looks into it before the engines must see what a standard protobuf reader sees.
#![no_main]

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // bytes as they come, every eighth time
    if seed.is_multiple_of(8) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let file = qcrs_fuzz::rewritten(&data[..size], seed, max_size);
    data[..file.len()].copy_from_slice(&file);
    file.len()
});

libfuzzer_sys::fuzz_target!(|file: &[u8]| qcrs_fuzz::compare_readers(file));
