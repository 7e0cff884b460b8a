//! Checksum functions for declarations, such as `#[layout(checksum = crc, by = CRC32)]`.

use super::declaration::ChecksumFunction;
use super::expr::Value;

/// CRC-32 according to ISO 3309, used by gzip and PNG.
pub const CRC32: ChecksumFunction = ChecksumFunction {
    name: "CRC-32",
    compute: |bytes, _| crc32fast::hash(bytes).into(),
};

/// Adler-32, used by zlib.
pub const ADLER32: ChecksumFunction = ChecksumFunction {
    name: "Adler-32",
    compute: |bytes, _| adler2::adler32_slice(bytes).into(),
};

/// XXH32; the argument is the seed, 0 if omitted.
pub const XXH32: ChecksumFunction = ChecksumFunction {
    name: "XXH32",
    compute: |bytes, arguments| xxhash_rust::xxh32::xxh32(bytes, seed(arguments) as u32).into(),
};

/// XXH64; the argument is the seed, 0 if omitted.
pub const XXH64: ChecksumFunction = ChecksumFunction {
    name: "XXH64",
    compute: |bytes, arguments| xxhash_rust::xxh64::xxh64(bytes, seed(arguments)),
};

/// 64-bit XXH3; the argument is the seed, 0 if omitted.
pub const XXH3: ChecksumFunction = ChecksumFunction {
    name: "XXH3",
    compute: |bytes, arguments| xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed(arguments)),
};

fn seed(arguments: &[Value]) -> u64 {
    if let Some(Value::Int(seed)) = arguments.first() {
        *seed as u64
    } else {
        0
    }
}
