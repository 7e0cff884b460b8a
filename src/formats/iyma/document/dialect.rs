//! Usages of the reference dialect: keys of a map, without names, with a second `Uv` (I1).

use std::collections::{HashMap, HashSet};

use super::super::schema::Usage;
use super::{Attribute, Document};
use crate::loss::LossKind;
use crate::{Dialect, Error, Loss, Result, path};

/// Refuses a document in the reference dialect that has a usage twice.
pub(in super::super) fn require_keys(document: &Document) -> Result<()> {
    if document.dialect != Dialect::Reference {
        return Ok(());
    }
    let mut places = HashMap::new();
    for (index, attribute) in document.attributes.iter().enumerate() {
        if let Some(first) = places.insert(&attribute.usage, index) {
            let usage = attribute.usage.name();
            let message = format!(
                "duplicate usage {usage}, as attributes[{first}]: the reference dialect has each once (I1)"
            );
            return Err(Error::inexpressible(message).at(path!(attributes[index].usage)));
        }
    }
    Ok(())
}

/// Changes usages to those of the reference dialect: custom ones lose their names, a second `Uv` becomes `Uv1`, and any
/// other duplicate becomes a custom usage with an unused number.
pub(in super::super) fn into_reference(attributes: &mut [Attribute], losses: &mut Vec<Loss>) {
    let numbers: HashSet<u32> = attributes.iter().filter_map(|attribute| number(&attribute.usage)).collect();
    let mut free = (0..=u32::MAX).filter(|number| !numbers.contains(number));
    let mut taken = HashSet::new();
    for (index, attribute) in attributes.iter_mut().enumerate() {
        let path = || format!("attributes[{index}].usage");
        let usage = &mut attribute.usage;
        if let Usage::Custom(_, name) = usage
            && !name.is_empty()
        {
            let message = format!("the reference dialect has no names: \"{}\"", name.escape_debug());
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
                format!("the reference dialect has each usage once: {} becomes {}", usage.name(), own.name());
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
