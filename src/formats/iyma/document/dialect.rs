//! Converts usages between dialects. In the reference dialect they are map keys, without names (I1).

use std::collections::{HashMap, HashSet};

use super::super::schema::{IndexFormat, Usage};
use super::{Attribute, Document};
use crate::loss::LossKind;
use crate::{Dialect, Error, Loss, Result, path};

/// Rejects a document in the reference dialect with a duplicate usage.
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

impl Document {
    /// Converts the indices of a document in the reference dialect to 16 bits if they fit. That dialect's reader
    /// multiplies counts by the index size (I17).
    pub(in super::super) fn narrow_indices(&mut self) {
        if self.dialect == Dialect::Reference
            && let Some(indices) = &mut self.indices
            && indices.format == IndexFormat::U32
            && let Some(narrow) = indices.narrowed()
        {
            *indices = narrow;
        }
    }
}

/// Converts usages to those of a dialect. The reference dialect drops the names of custom usages, and calls a second
/// `Uv` `Uv1`. The specification allows several `Uv`. Usages that the dialect lacks, or allows only once, become
/// custom usages with unused numbers.
pub(in super::super) fn into_dialect(attributes: &mut [Attribute], dialect: Dialect, losses: &mut Vec<Loss>) {
    let numbers: HashSet<u32> = attributes.iter().filter_map(|attribute| number(&attribute.usage)).collect();
    let mut unused = (0..=u32::MAX).filter(|number| !numbers.contains(number));
    let is_map = dialect == Dialect::Reference;
    let mut taken = HashSet::new();
    for (index, attribute) in attributes.iter_mut().enumerate() {
        let path = || format!("attributes[{index}].usage");
        let usage = &mut attribute.usage;
        match usage {
            Usage::Custom(_, name) if is_map && !name.is_empty() => {
                let loss = Loss::dropped(path(), format!("the {dialect} dialect has no names"));
                losses.push(loss.detail(format_args!("\"{}\"", name.escape_debug())));
                name.clear();
            }
            Usage::Uv if is_map && taken.contains(usage) => *usage = Usage::Uv1,
            Usage::Uv1 if !is_map => *usage = Usage::Uv,
            _ => {}
        }
        let (missing, duplicate) = (!usage.is_in(dialect), is_map && taken.contains(usage));
        if (missing || duplicate)
            && let Some(number) = unused.next()
        {
            let name = usage.name();
            *usage = Usage::Custom(number, if is_map { String::new() } else { name.clone() });
            let custom = usage.name();
            let message = match missing {
                true => format!("the {dialect} dialect lacks this usage"),
                false => format!("the {dialect} dialect allows each usage once"),
            };
            let loss = Loss::new(LossKind::Renamed, path(), message);
            losses.push(loss.detail(format_args!("{name} becomes {custom}")));
        }
        taken.insert(usage.clone());
    }
}

/// Returns the number of a custom usage.
fn number(usage: &Usage) -> Option<u32> {
    match usage {
        Usage::Custom(number, _) => Some(*number),
        _ => None,
    }
}
