//! Searches for files that break undeclared rules.

use super::candidates::Candidates;
use super::pool::{Pool, ValidFile};
use crate::layout::generate;

/// The maximum number of changed bytes of all files.
const MAX_BYTES: usize = 8000;

/// The maximum number of random mutations.
const MUTATIONS: usize = 20_000;

/// The replacements for a byte.
const CHANGES: [fn(u8) -> u8; 10] = [
    |_| 0,
    |_| 1,
    |_| 2,
    |_| 0x7f,
    |_| 0xff,
    |byte| byte.wrapping_add(1),
    |byte| byte.wrapping_sub(1),
    |byte| byte ^ 0x80,
    |byte| byte ^ 0x10,
    |byte| byte ^ 0x01,
];

/// Offers files with one changed byte until all these rules are broken, also in a later item only. Returns the
/// remaining rules.
pub(super) fn offer_other_bytes(
    bases: &[&ValidFile],
    mut rules: Vec<&'static str>,
    candidates: &mut Candidates,
) -> Vec<&'static str> {
    let mut left = MAX_BYTES;
    for base in bases {
        left = left.saturating_sub(base.bytes.len());
        if rules.is_empty() || left == 0 {
            break;
        }
        for (at, byte) in base.bytes.iter().enumerate() {
            let mut values: Vec<u8> = Vec::new();
            for change in CHANGES {
                let value = change(*byte);
                if value != *byte && !values.contains(&value) {
                    values.push(value);
                }
            }
            for value in values {
                let mut bytes = base.bytes.clone();
                bytes[at] = value;
                candidates.offer_for(&rules, base.dialect, "another value", Some(&base.bytes), bytes);
            }
        }
        rules.retain(|code| !candidates.has_later(code));
    }
    rules
}

/// Offers randomly mutated files until all these rules are broken.
pub(super) fn offer_mutations(pool: &mut Pool, rules: &[&'static str], candidates: &mut Candidates) {
    let files: Vec<ValidFile> = pool.bases().into_iter().cloned().collect();
    let mut rules = rules.to_vec();
    for count in 0..MUTATIONS {
        let (Some(file), false) = (files.get(count % files.len().max(1)), rules.is_empty()) else { return };
        let other = &files[count / 7 % files.len()];
        let Ok(mutated) = generate::mutate(pool.runner(), file.bytes.clone(), &other.bytes) else { return };
        candidates.offer_for(&rules, file.dialect, "other bytes", Some(&file.bytes), mutated.bytes);
        if count % 64 == 0 {
            rules.retain(|code| !candidates.has(code));
        }
    }
}
