//! RapidHash version 1 with the default seed, in the two variants used in files (I3, I4).
//!
//! The specification's checksums are one-shot hashes. The author's tool hashes the metadata in three writes to a
//! streaming hasher of old versions of the crate `rapidhash`. These versions have a bug for inputs of exactly 48 bytes.

use rapidhash::v1::{DEFAULT_RAPID_SECRETS, rapidhash_v1, rapidhash_v1_inline};

use crate::Dialect;
use crate::layout::declaration::ChecksumFunction;
use crate::layout::expr::Value;

const SEED: u64 = 0xbdd8_9aa9_8270_4029;
const SECRETS: [u64; 3] = DEFAULT_RAPID_SECRETS.secrets;

/// Returns the one-shot hash of the concatenated `parts`, in the variant of `dialect`. Of several parts, all but the
/// last must be multiples of 48 bytes long, and the last at least 48 bytes.
pub fn one_shot_hash(parts: &[impl AsRef<[u8]>], dialect: Dialect) -> u64 {
    match parts {
        [] => hash_bytes(&[], dialect),
        [whole] => hash_bytes(whole.as_ref(), dialect),
        // With a single write, the streaming hash equals the one-shot hash, unless the input has 48 bytes.
        parts => {
            let mut hash = StreamingHasher::new();
            hash.write(parts);
            hash.finish()
        }
    }
}

fn hash_bytes(bytes: &[u8], dialect: Dialect) -> u64 {
    match dialect {
        Dialect::REFERENCE => {
            rapidhash_v1_inline::<true, false, false, true>(bytes, &DEFAULT_RAPID_SECRETS)
        }
        _ => rapidhash_v1(bytes),
    }
}

/// Returns the metadata checksum in `dialect`: the hash of the encoded descriptor, its length and the data checksum.
pub fn metadata_checksum(descriptor: &[u8], data_checksum: u64, dialect: Dialect) -> u64 {
    // The header stores the length in 16 bits.
    let length = (descriptor.len() as u16).to_le_bytes();
    let checksum = data_checksum.to_le_bytes();
    match dialect {
        Dialect::REFERENCE => {
            let mut hash = StreamingHasher::new();
            [descriptor, &length, &checksum]
                .into_iter()
                .for_each(|part| hash.write(&[part]));
            hash.finish()
        }
        _ => rapidhash_v1(&[descriptor, &length, &checksum].concat()),
    }
}

/// The data checksum for the declaration. Its argument is the dialect.
pub(super) const DATA_HASH: ChecksumFunction = ChecksumFunction {
    name: "RapidHash of the data",
    compute: |data, arguments| one_shot_hash(&[data], to_dialect(arguments.first())),
};

/// The metadata checksum for the declaration. Its arguments are the dialect and the data checksum.
pub(super) const METADATA_HASH: ChecksumFunction = ChecksumFunction {
    name: "RapidHash of the metadata",
    compute: |descriptor, arguments| {
        let data_checksum = if let Some(Value::Int(sum)) = arguments.get(1) {
            *sum as u64
        } else {
            0
        };
        metadata_checksum(descriptor, data_checksum, to_dialect(arguments.first()))
    },
};

/// Converts the argument of a declaration to a dialect.
pub(super) fn to_dialect(argument: Option<&Value>) -> Dialect {
    if argument == Some(&Dialect::REFERENCE.into()) {
        Dialect::REFERENCE
    } else {
        Dialect::SPEC
    }
}

/// Returns `true` if `stored` is the one-shot hash of the joined `parts`. For 48 bytes, accepts both variants (I3).
pub fn is_one_shot_hash(stored: u64, parts: &[impl AsRef<[u8]>]) -> bool {
    [Dialect::SPEC, Dialect::REFERENCE]
        .into_iter()
        .any(|dialect| stored == one_shot_hash(parts, dialect))
}

/// Returns `true` if `stored` is the metadata checksum in `dialect`. `Spec` accepts both variants for 48 bytes (I3).
pub fn is_metadata_checksum(
    stored: u64,
    descriptor: &[u8],
    data_checksum: u64,
    dialect: Dialect,
) -> bool {
    if stored == metadata_checksum(descriptor, data_checksum, dialect) {
        return true;
    }
    if dialect == Dialect::REFERENCE {
        return false;
    }
    let length = (descriptor.len() as u16).to_le_bytes();
    is_one_shot_hash(
        stored,
        &[[descriptor, &length, &data_checksum.to_le_bytes()].concat()],
    )
}

/// The streaming variant of RapidHash 1.x, including its bug.
struct StreamingHasher {
    seed: u64,
    a: u64,
    b: u64,
    size: u64,
}

impl StreamingHasher {
    fn new() -> StreamingHasher {
        StreamingHasher {
            seed: SEED,
            a: 0,
            b: 0,
            size: 0,
        }
    }

    /// Hashes the concatenated `parts` in a single write. Their lengths must be as for [`one_shot_hash`].
    fn write(&mut self, parts: &[impl AsRef<[u8]>]) {
        self.size += parts
            .iter()
            .map(|part| part.as_ref().len() as u64)
            .sum::<u64>();
        self.seed ^= mix(self.seed ^ SECRETS[0], SECRETS[1]) ^ self.size;
        self.mix_in(parts);
        self.a ^= SECRETS[1];
        self.b ^= self.seed;
        (self.a, self.b) = multiply_wide(self.a, self.b);
    }

    fn finish(&self) -> u64 {
        mix(self.a ^ SECRETS[0] ^ self.size, self.b ^ SECRETS[1])
    }

    /// Mixes the ends of the input into `a` and `b`, and inputs of more than 16 bytes into the seed, as in version 1.
    fn mix_in(&mut self, parts: &[impl AsRef<[u8]>]) {
        let Some((last, others)) = parts.split_last() else {
            return;
        };
        let bytes = last.as_ref();
        let size = bytes.len();
        match size {
            0 => {}
            1..4 => {
                let [first, middle, last] = [0, size / 2, size - 1].map(|i| u64::from(bytes[i]));
                self.a ^= first << 56 | middle << 32 | last;
            }
            4..=16 => {
                let delta = if size >= 8 { 4 } else { 0 };
                let read = |offset: usize| read_uint(&bytes[offset..offset + 4]);
                self.a ^= read(0) << 32 | read(size - 4);
                self.b ^= read(delta) << 32 | read(size - 4 - delta);
            }
            _ => {
                let mut lanes = [self.seed; 3];
                for part in others {
                    mix_blocks(&mut lanes, part.as_ref());
                }
                let rest = mix_blocks(&mut lanes, bytes);
                self.seed = lanes[0] ^ lanes[1] ^ lanes[2];
                let read = |offset: usize| read_uint(&rest[offset..offset + 8]);
                if rest.len() > 16 {
                    self.seed = mix(read(0) ^ SECRETS[2], read(8) ^ self.seed ^ SECRETS[1]);
                }
                if rest.len() > 32 {
                    self.seed = mix(read(16) ^ SECRETS[2], read(24) ^ self.seed);
                }
                self.a ^= read_uint(&bytes[size - 16..size - 8]);
                self.b ^= read_uint(&bytes[size - 8..]);
            }
        }
    }
}

/// Mixes the whole 48-byte blocks of the input into the lanes. Returns the rest. Correct implementations of
/// version 1 do this only for more than 48 bytes; doing it for exactly 48 bytes is the bug.
fn mix_blocks<'b>(lanes: &mut [u64; 3], bytes: &'b [u8]) -> &'b [u8] {
    let (blocks, rest) = bytes.as_chunks::<48>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (i, lane) in lanes.iter_mut().enumerate() {
            let [first, second] = [words[2 * i], words[2 * i + 1]].map(u64::from_le_bytes);
            *lane = mix(first ^ SECRETS[i], second ^ *lane);
        }
    }
    rest
}

/// Reads a little-endian number of up to 8 bytes.
pub(super) fn read_uint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns the low and the high 64 bits of a product.
fn multiply_wide(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

fn mix(a: u64, b: u64) -> u64 {
    let (low, high) = multiply_wide(a, b);
    low ^ high
}
