#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| meshspec_fuzz::stl(data));
