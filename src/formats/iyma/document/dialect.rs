//! Converts usages between dialects. In the reference dialect, they are map keys, without names (I1).

use std::collections::{HashMap, HashSet};

use super::super::schema::{IndexFormat, Usage};
use super::{Attribute, Document};
use crate::loss::LossKind;
use crate::{Dialect, Error, Loss, Result, path};

/// Returns an error for a duplicate usage in the reference dialect.
pub(in super::super) fn reject_duplicate_usages(document: &Document) -> Result<()> {
    if document.dialect != Dialect::REFERENCE {
        return Ok(());
    }
    let mut first_indices = HashMap::new();
    for (index, attribute) in document.attributes.iter().enumerate() {
        if let Some(first) = first_indices.insert(&attribute.usage, index) {
            let usage = attribute.usage.name();
            let message = format!(
                "duplicate usage {usage} of attributes[{first}]; the reference dialect allows each usage once (I1)"
            );
            return Err(Error::inexpressible(message).at(path!(attributes[index].usage)));
        }
    }
    Ok(())
}

impl Document {
    /// In the reference dialect, converts the indices to 16 bits if all fit, because the author's reader multiplies
    /// counts by the index size (I17).
    pub(in super::super) fn narrow_indices(&mut self) {
        if self.dialect == Dialect::REFERENCE
            && let Some(indices) = &mut self.indices
            && indices.format == IndexFormat::U32
            && let Some(narrow) = indices.to_u16()
        {
            *indices = narrow;
        }
    }
}

/// Converts the usages to `dialect` and adds the losses. For the reference dialect, drops the names of custom usages,
/// and converts a second `Uv` to `Uv1`. For the specification, which allows several `Uv`, converts `Uv1` to `Uv`.
/// Other usages that the dialect lacks, and duplicates that it forbids, become custom usages with unused numbers.
pub(in super::super) fn convert_usages(
    attributes: &mut [Attribute],
    dialect: Dialect,
    losses: &mut Vec<Loss>,
) {
    let number = |a: &Attribute| {
        if let Usage::Custom(number, _) = a.usage {
            Some(number)
        } else {
            None
        }
    };
    let numbers: HashSet<u32> = attributes.iter().filter_map(number).collect();
    let mut unused = (0..=u32::MAX).filter(|number| !numbers.contains(number));
    let is_reference = dialect == Dialect::REFERENCE;
    let mut used = HashSet::new();
    for (index, attribute) in attributes.iter_mut().enumerate() {
        let path = || format!("attributes[{index}].usage");
        let usage = &mut attribute.usage;
        match usage {
            Usage::Custom(_, name) if is_reference && !name.is_empty() => {
                let loss = Loss::dropped(path(), format!("the {dialect} dialect has no names"));
                losses.push(loss.with_detail(format_args!("\"{}\"", name.escape_debug())));
                name.clear();
            }
            Usage::Uv if is_reference && used.contains(usage) => *usage = Usage::Uv1,
            Usage::Uv1 if !is_reference => *usage = Usage::Uv,
            _ => {}
        }
        let (is_missing, is_duplicate) =
            (!usage.is_in(dialect), is_reference && used.contains(usage));
        if (is_missing || is_duplicate)
            && let Some(number) = unused.next()
        {
            let name = usage.name();
            *usage = Usage::Custom(
                number,
                if is_reference {
                    String::new()
                } else {
                    name.clone()
                },
            );
            let custom = usage.name();
            let message = match is_missing {
                true => format!("the {dialect} dialect lacks this usage"),
                false => format!("the {dialect} dialect allows each usage once"),
            };
            let loss = Loss::new(LossKind::Renamed, path(), message);
            losses.push(loss.with_detail(format_args!("{name} becomes {custom}")));
        }
        used.insert(usage.clone());
    }
}
