//! Files with the boundaries of numbers that no drawn file has.

use std::ops::ControlFlow;

use super::oracle::Oracle;
use super::pool::Pool;
use crate::conformance::Coverage;
use crate::layout::assemble::{Change, Edit, Part, edit};
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, Visit, Visitor, walk};
use crate::{AnyFormat, Dialect, Limits};

/// In how many files a field is set.
const MAX_FILES: usize = 6;

/// Adds files to a pool in which a field is set to a boundary that no file has yet.
pub(super) fn reach(format: AnyFormat, oracle: Oracle, pool: &mut Pool) {
    for (field, kind) in Coverage::of(format).never() {
        if pool.has(field, kind) {
            continue;
        }
        let files: Vec<_> = pool.with_field(field).into_iter().take(MAX_FILES).cloned().collect();
        for file in files {
            let Some(bytes) = with_kind(format, file.dialect, &file.bytes, field, kind) else { continue };
            pool.add(format, oracle, file.dialect, bytes);
            if pool.has(field, kind) {
                break;
            }
        }
    }
}

/// Returns the file with the first value of a field of this kind.
fn with_kind(
    format: AnyFormat,
    dialect: Dialect,
    bytes: &[u8],
    field: &str,
    kind: &'static str,
) -> Option<Vec<u8>> {
    let (layout, limits) = (format.layout_of(bytes, dialect)?, Limits::default());
    let mut search = Search { field, kind, found: None };
    let _ = walk(layout, bytes, &limits, &mut search);
    let (path, text) = search.found?;
    let edits = [Edit { path: path.as_slice().into(), change: Change::Set(Part::Text(text)) }];
    edit(layout, bytes, &edits, true, &limits).ok()
}

/// Finds the first value of a field, and the text of its new value.
struct Search<'f> {
    field: &'f str,
    kind: &'static str,
    found: Option<(Vec<Segment>, String)>,
}

impl Visitor for Search<'_> {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::All
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let names = node.path.iter().filter_map(|step| match step {
            Segment::Field(name) => Some(*name),
            Segment::Index(_) => None,
        });
        if !names.eq(self.field.split('.')) {
            return ControlFlow::Continue(());
        }
        let text = match value {
            Value::Int(_) => integer(node, self.kind),
            Value::Bool(_) => Some(self.kind.to_owned()),
            Value::F32(_) => float(self.kind, f32::MAX.to_string(), "1e-40"),
            Value::F64(_) => float(self.kind, f64::MAX.to_string(), "1e-310"),
            _ => None,
        };
        self.found = text.map(|text| (node.path.to_vec(), text));
        ControlFlow::Break(())
    }
}

/// The integer of this kind.
fn integer(node: &Node, kind: &str) -> Option<String> {
    let int = node.bit_field.map(|field| field.int()).or_else(|| node.ty.int())?;
    let all = u128::MAX >> (128 - int.bits.clamp(1, 128));
    let sign = 1 << (int.bits.clamp(1, 128) - 1);
    let pattern = match kind {
        "0" => 0,
        "1" => 1,
        "sign bit" => sign,
        "largest" => all,
        _ => return None,
    };
    let number = match i128::try_from(pattern) {
        Ok(number) if int.signed && pattern >= sign => number - 1 - i128::try_from(all).ok()?,
        Ok(number) => number,
        Err(_) => return None,
    };
    Some(number.to_string())
}

/// The float of this kind.
fn float(kind: &str, largest: String, subnormal: &str) -> Option<String> {
    Some(match kind {
        "0" | "-0" | "1" => kind.to_owned(),
        "largest" => largest,
        "infinity" => "inf".to_owned(),
        "subnormal" => subnormal.to_owned(),
        _ => return None,
    })
}
