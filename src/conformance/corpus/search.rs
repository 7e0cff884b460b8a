//! Searches for files that break the rules enforced in code.

use super::candidates::Candidates;
use super::pool::{Pool, ValidFile};
use crate::layout::generate;

/// The maximum total size of the files whose bytes are changed, in bytes.
const MAX_BYTES: usize = 8000;

const MAX_MUTATIONS: usize = 20_000;

/// The functions that return replacements for a byte.
const BYTE_CHANGES: [fn(u8) -> u8; 10] = [
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

/// Offers files with one changed byte until each of `rules` is broken, or [`MAX_BYTES`] is reached. A rule about list
/// items must also be broken in a later item. Returns the rules that are not yet broken in this way.
pub(super) fn offer_changed_bytes(
    bases: &[&ValidFile],
    mut rules: Vec<&'static str>,
    candidates: &mut Candidates,
) -> Vec<&'static str> {
    let mut remaining = MAX_BYTES;
    for base in bases {
        remaining = remaining.saturating_sub(base.bytes.len());
        if rules.is_empty() || remaining == 0 {
            break;
        }
        for (at, byte) in base.bytes.iter().enumerate() {
            let mut values: Vec<u8> = Vec::new();
            for change in BYTE_CHANGES {
                let value = change(*byte);
                if value != *byte && !values.contains(&value) {
                    values.push(value);
                }
            }
            for value in values {
                let mut bytes = base.bytes.clone();
                bytes[at] = value;
                candidates.offer_for_rules(
                    &rules,
                    base.dialect,
                    "another value",
                    Some(&base.bytes),
                    bytes,
                );
            }
        }
        rules.retain(|code| !candidates.has_rule_in_later_item(code));
    }
    rules
}

/// Offers up to [`MAX_MUTATIONS`] randomly mutated files until each of `rules` is broken.
pub(super) fn offer_mutations(
    pool: &mut Pool,
    rules: &[&'static str],
    candidates: &mut Candidates,
) {
    let files: Vec<ValidFile> = pool.base_files().into_iter().cloned().collect();
    let mut rules = rules.to_vec();
    for count in 0..MAX_MUTATIONS {
        let (Some(file), false) = (files.get(count % files.len().max(1)), rules.is_empty()) else {
            return;
        };
        let other = &files[count / 7 % files.len()];
        let Ok(mutated) = generate::mutate(pool.runner(), file.bytes.clone(), &other.bytes) else {
            return;
        };
        candidates.offer_for_rules(
            &rules,
            file.dialect,
            "other bytes",
            Some(&file.bytes),
            mutated.bytes,
        );
        if count % 64 == 0 {
            rules.retain(|code| !candidates.has_rule(code));
        }
    }
}
