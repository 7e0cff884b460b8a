//! Usages of one dialect in the other. Those of the reference dialect are keys of a map, without names (I1).

use std::collections::{HashMap, HashSet};

use super::super::schema::{IndexFormat, Usage};
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

impl Document {
    /// Stores the indices of a document in the reference dialect in 16 bits if they fit: its reader multiplies counts by the
    /// size of an index (I17).
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

/// Changes usages to those of a dialect. In the reference dialect custom ones lose their names, and a second `Uv` is
/// `Uv1`; the specification may have `Uv` twice. What else the dialect does not have, or not twice, becomes a custom usage
/// with an unused number.
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
                false => format!("the {dialect} dialect has each usage once"),
            };
            let loss = Loss::new(LossKind::Renamed, path(), message);
            losses.push(loss.detail(format_args!("{name} becomes {custom}")));
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
