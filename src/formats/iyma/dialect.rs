//! Usages in the reference dialect, which has a map of attributes by usage, no names, and a second `Uv` (I1).

use std::collections::{HashMap, HashSet};

use super::Usage;
use super::document::{Attribute, Document, inexpressible};
use crate::loss::LossKind;
use crate::{Dialect, Loss, Result};

/// The error for a usage that the map of a document in the reference dialect would have twice.
pub(super) fn require_keys(document: &Document) -> Result<()> {
    if document.dialect != Dialect::Reference {
        return Ok(());
    }
    let mut places = HashMap::new();
    for (index, attribute) in document.attributes.iter().enumerate() {
        if let Some(first) = places.insert(&attribute.usage, index) {
            let usage = attribute.usage.name();
            let message = format!(
                "{usage} is that of attributes[{first}], too, but the dialect has a map by usage (I1)"
            );
            return Err(inexpressible(format!("attributes[{index}].usage"), message));
        }
    }
    Ok(())
}

/// Changes usages to those of the reference dialect: names of custom ones are dropped, a second `Uv` becomes `Uv1`, and
/// whatever would then be there twice a custom one with a number of its own.
pub(super) fn into_reference(attributes: &mut [Attribute], losses: &mut Vec<Loss>) {
    let numbers: HashSet<u32> = attributes.iter().filter_map(|attribute| number(&attribute.usage)).collect();
    let mut free = (0..=u32::MAX).filter(|number| !numbers.contains(number));
    let mut taken = HashSet::new();
    for (index, attribute) in attributes.iter_mut().enumerate() {
        let path = || format!("attributes[{index}].usage");
        let usage = &mut attribute.usage;
        if let Usage::Custom(_, name) = usage
            && !name.is_empty()
        {
            let message = format!("the dialect has no names: \"{}\"", name.escape_debug());
            losses.push(Loss::dropped(path(), message));
            name.clear();
        }
        if *usage == Usage::Uv && taken.contains(usage) {
            *usage = Usage::Uv1;
        }
        if taken.contains(usage)
            && let Some(number) = free.next()
        {
            let own = Usage::Custom(number, String::new());
            let message =
                format!("the dialect has one {} only: this one becomes {}", usage.name(), own.name());
            losses.push(Loss::new(LossKind::Renamed, path(), message));
            *usage = own;
        }
        taken.insert(usage.clone());
    }
}

/// The number of a custom usage.
fn number(usage: &Usage) -> Option<u32> {
    match usage {
        Usage::Custom(number, _) => Some(*number),
        _ => None,
    }
}
