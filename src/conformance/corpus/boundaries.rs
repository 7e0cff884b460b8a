//! Adds files with boundary numbers and long lists that no file in the pool contains.

use std::ops::ControlFlow;

use super::pool::{Pool, ValidFile};
use crate::conformance::Coverage;
use crate::conformance::coverage::{MANY, fields_of};
use crate::layout::assemble::{Change, Edit, edit};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::tree::UntypedValue;
use crate::layout::walk::{Node, Segment, Visitor, walk};
use crate::{AnyFormat, Dialect, Limits, ReadOptions, Severity};

/// The maximum number of files to try per field and kind of value.
const MAX_FILES: usize = 6;

/// The number of copies of an item to insert, so that the number of items requires two bytes. A multiple of 3, so that
/// index lists still consist of whole triangles.
const COPIES: u16 = 255;

/// For each field and kind of value that no file in the pool contains, adds a file that does, if possible.
pub(super) fn add_boundary_files(format: AnyFormat, pool: &mut Pool) {
    for (field, kind) in Coverage::of(format).missing() {
        if pool.has_kind(field, kind) {
            continue;
        }
        let files: Vec<_> = pool
            .with_field(field)
            .into_iter()
            .take(MAX_FILES)
            .cloned()
            .collect();
        for file in files {
            if let Some(bytes) = with_kind(format, &file, field, kind) {
                pool.add(file.dialect, bytes);
            }
            if pool.has_kind(field, kind) {
                break;
            }
        }
    }
}

/// Returns a copy of a file in which the first value of a field is changed to the given kind; `None` if that fails.
fn with_kind(
    format: AnyFormat,
    file: &ValidFile,
    field: &str,
    kind: &'static str,
) -> Option<Vec<u8>> {
    let ValidFile { dialect, bytes, .. } = file;
    let (layout, limits) = (format.layout_of(bytes, *dialect)?, Limits::default());
    let mut search = ValueSearch {
        field,
        kind,
        found: None,
    };
    let _ = walk(layout, bytes, &limits, &mut search);
    let (path, change) = search.found?;
    let edits = [Edit {
        path: path.as_slice().into(),
        change,
    }];
    let edited = edit(layout, bytes, &edits, true, &limits).ok()?;
    let raised = (kind == MANY)
        .then(|| with_raised_count(format, *dialect, &edited))
        .flatten();
    Some(raised.unwrap_or(edited))
}

/// Adds [`COPIES`] to the integer at the path of the first error of a file. Returns the file if this removes all
/// errors, as for a count that only a rule compares with the list.
///
/// Also tries twice [`COPIES`], since a repeated quad adds two triangles.
fn with_raised_count(format: AnyFormat, dialect: Dialect, bytes: &[u8]) -> Option<Vec<u8>> {
    let (layout, limits) = (format.layout_of(bytes, dialect)?, Limits::default());
    let options = ReadOptions::default().with_dialect(dialect);
    let report = format.check(bytes, &options).ok()?;
    let error = report
        .findings()
        .iter()
        .find(|finding| finding.rule.severity >= Severity::Error)?;
    let mut search = IntegerSearch {
        path: error.path.segments()?,
        number: None,
    };
    let _ = walk(layout, bytes, &limits, &mut search);
    let number = search.number?;
    [1, 2].into_iter().find_map(|factor| {
        let text = (number + factor * i128::from(COPIES)).to_string();
        let edits = [Edit::set(&error.path, text)];
        let raised = edit(layout, bytes, &edits, false, &limits).ok()?;
        format
            .check(&raised, &options)
            .is_ok_and(|report| report.errors() == 0)
            .then_some(raised)
    })
}

struct IntegerSearch<'p> {
    path: &'p [Segment],
    number: Option<i128>,
}

impl Visitor for IntegerSearch<'_> {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        match value {
            Value::Int(number) if node.path == self.path => {
                self.number = Some(*number);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Finds the first value of a field, and the change to a value of the given kind.
struct ValueSearch<'f> {
    field: &'f str,
    kind: &'static str,
    found: Option<(Vec<Segment>, Change)>,
}

impl ValueSearch<'_> {
    fn is_field(&self, node: &Node) -> bool {
        fields_of(node.path).eq(self.field.split('.'))
    }
}

impl Visitor for ValueSearch<'_> {
    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        // When a list is entered, its number of items may be unknown.
        let is_list = matches!((node.ty, node.count), (Type::List(_), Some(1..)));
        if self.kind != MANY || !is_list || !self.is_field(node) {
            return ControlFlow::Continue(());
        }
        let first = [node.path, &[Segment::Index(0)]].concat();
        self.found = Some((first, Change::Repeat(COPIES)));
        ControlFlow::Break(())
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if self.kind == MANY || !self.is_field(node) {
            return ControlFlow::Continue(());
        }
        let text = match value {
            Value::Int(_) => integer_of_kind(node, self.kind),
            Value::Bool(_) => Some(self.kind.to_owned()),
            Value::F32(_) => float_of_kind(self.kind, f32::MAX.to_string(), "1e-40"),
            Value::F64(_) => float_of_kind(self.kind, f64::MAX.to_string(), "1e-310"),
            _ => None,
        };
        self.found = text.map(|text| (node.path.to_vec(), Change::Set(UntypedValue::Text(text))));
        ControlFlow::Break(())
    }
}

/// Returns an integer of the given kind in the node's type, as text; `None` if the type has no such integer.
fn integer_of_kind(node: &Node, kind: &str) -> Option<String> {
    let int = node
        .bit_field
        .map(|field| field.int_type())
        .or_else(|| node.ty.int_type())?;
    let mask = u128::MAX >> (128 - int.bits.clamp(1, 128));
    let sign = 1 << (int.bits.clamp(1, 128) - 1);
    let pattern = match kind {
        "0" => 0,
        "1" => 1,
        "sign bit" => sign,
        "largest" => mask,
        _ => return None,
    };
    let number = match i128::try_from(pattern) {
        Ok(number) if int.signed && pattern >= sign => number - 1 - i128::try_from(mask).ok()?,
        Ok(number) => number,
        Err(_) => return None,
    };
    Some(number.to_string())
}

/// Returns a float of the given kind, as text; `None` for other kinds, such as NaN.
fn float_of_kind(kind: &str, largest: String, subnormal: &str) -> Option<String> {
    Some(match kind {
        "0" | "-0" | "1" => kind.to_owned(),
        "largest" => largest,
        "infinity" => "inf".to_owned(),
        "subnormal" => subnormal.to_owned(),
        _ => return None,
    })
}
