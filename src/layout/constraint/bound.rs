//! The constraints of a field where what they depend on is known, and values held against them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::scalar::Scalar;
use super::{Constraint, Requirement};
use crate::layout::wording::alternatives;
use crate::layout::{Declaration, Expr, Field, Layout, Lookup, Scope, Type, Value};
use crate::{Finding, Path, Report, Rule, Span};

/// The constraints of a field, where what they depend on is known: holds the values of a document against them, as
/// [`check`](super::check) does with bytes.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{Constraints, Layout, Scope};
/// use meshspec::{Report, Rule, Severity, path};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Mesh {
///     vertex_count: u32,
///     #[br(count = 3)]
///     #[layout(below = vertex_count, rule = "INDEX-RANGE")]
///     indices: Vec<u16>,
/// }
///
/// static RULES: &[&Rule] =
///     &[&Rule { code: "INDEX-RANGE", severity: Severity::Error, summary: "", section: "", row: "" }];
///
/// let mesh = Mesh { vertex_count: 2, indices: vec![0, 1, 2] };
/// let scope = Scope::new(vec![("vertex_count", mesh.vertex_count.into())]);
/// let mut report = Report::default();
/// let indices = mesh.indices.iter().map(|index| [*index]);
/// Constraints::declared::<Mesh>("indices", &scope, RULES).check(indices, |at| path!(indices[at]), &mut report);
/// assert_eq!(report.findings()[0].to_string(), "indices[2]: found 2, expected less than 2 [INDEX-RANGE]");
/// ```
#[derive(Debug)]
pub struct Constraints {
    bound: Vec<Bound>,
}

/// A constraint, with what it depends on.
#[derive(Debug)]
struct Bound {
    /// Its position among the constraints of the field.
    index: usize,
    test: Test,
    rule: &'static Rule,
    message: Cow<'static, str>,
    /// What came before in the list.
    seen: Seen,
}

#[derive(Debug)]
enum Test {
    Below(i128),
    OneOf(Vec<i128>),
    Finite,
    Unique,
    Ordered,
    Sum {
        total: f64,
        tolerance: f64,
    },
    /// The mask of the bits.
    ReservedZero(u128),
    /// The last byte of strings, which stands for all of them, is 0.
    Terminated,
    /// Whether it does.
    Holds(bool),
}

/// What came before in a list.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    keys: BTreeSet<i128>,
    previous: Option<Scalar>,
    is_unordered: bool,
}

impl Constraints {
    /// Those of a field that are of these rules. Names in them stand for the values in `scope`.
    pub(super) fn of(field: &Field, scope: &dyn Lookup, rules: &[&'static Rule]) -> Constraints {
        let bind = |(index, constraint): (usize, &Constraint)| {
            let rule = *rules.iter().find(|rule| rule.code == constraint.rule)?;
            let applies = constraint.condition.is_none_or(|condition| condition.eval_bool(scope) == Ok(true));
            let test = Test::of(&constraint.requirement, &field.ty, scope).filter(|_| applies)?;
            Some(Bound { index, test, rule, message: template(constraint, scope), seen: Seen::default() })
        };
        Constraints { bound: field.constraints.iter().enumerate().filter_map(bind).collect() }
    }

    /// Those of the field of `T` with this name, or of its variant with this name, that are of these rules. Names in them stand
    /// for the values in `scope`. None if there is no such field, which is a mistake: debug builds panic.
    pub fn declared<T: Layout>(name: &str, scope: &Scope, rules: &[&'static Rule]) -> Constraints {
        let field = T::TYPE.declaration().and_then(|declaration| {
            let variant = declaration.variants().iter().find(|variant| variant.name == name);
            let field = || declaration.fields().find(|field| field.name == name);
            variant.map(|variant| &variant.field).or_else(field)
        });
        debug_assert!(field.is_some(), "the declaration has no field {name}");
        field.map_or(Constraints { bound: Vec::new() }, |field| Constraints::of(field, scope, rules))
    }

    /// Checks the fields of a `T` at `path`, of which `values` has those that are numbers or packed words.
    pub fn check_fields<T: Layout>(
        values: &Scope,
        rules: &[&'static Rule],
        path: impl Into<Path>,
        report: &mut Report,
    ) {
        let path = path.into();
        let fields = T::TYPE.declaration().into_iter().flat_map(Declaration::fields);
        for field in fields.filter(|field| !field.constraints.is_empty()) {
            let value: Scalar = match values.get(field.name) {
                Some(Value::Int(number)) => (*number).into(),
                Some(Value::Bits(word, _)) => Scalar::Int(*word as i128),
                Some(Value::F32(number)) => (*number).into(),
                Some(Value::F64(number)) => (*number).into(),
                _ => continue,
            };
            let place = |_| path.clone().field(field.name);
            Constraints::of(field, values, rules).check([[value]], place, report);
        }
    }

    /// Whether the largest number of all being this one is enough to know that none breaks any of them.
    pub fn allow_up_to(&self, max: impl Into<Scalar>) -> bool {
        let max = max.into();
        self.bound.iter().all(|bound| matches!(bound.test, Test::Below(limit) if max.is_below(limit)))
    }

    /// Adds a finding for each item that breaks one. An item is a number as an array of one, or several numbers.
    pub fn check<T: AsRef<[N]>, N: Copy + Into<Scalar>, P: Into<Path>>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: Clone>,
        path: impl Fn(usize) -> P,
        report: &mut Report,
    ) {
        self.check_at(items, |index| (path(index).into(), None), report);
    }

    /// As [`check`](Constraints::check), with the place of each item.
    pub(super) fn check_at<T: AsRef<[N]>, N: Copy + Into<Scalar>>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: Clone>,
        place: impl Fn(usize) -> (Path, Option<Span>),
        report: &mut Report,
    ) {
        let items = items.into_iter();
        // Most files are fine: that much is asked of all items at once.
        let may_break = |bound: &mut &mut Bound| report.collects(bound.rule) && !bound.allows(items.clone());
        let mut broken: Vec<_> =
            self.bound.iter_mut().filter_map(|mut bound| may_break(&mut bound).then_some(bound)).collect();
        if broken.is_empty() {
            return;
        }
        for (index, item) in items.enumerate() {
            let numbers = || item.as_ref().iter().map(|number| (*number).into());
            for bound in &mut broken {
                if let Some(broken) = bound.broken(numbers) {
                    let rule = bound.rule;
                    report.add_with(rule, || {
                        let (path, span) = place(index);
                        Finding { rule, path, span, message: bound.message(&broken) }
                    });
                }
            }
        }
    }

    /// Exchanges what was seen of a list with `seen`, which has an entry for each constraint of the field.
    pub(super) fn exchange(&mut self, seen: &mut [Seen]) {
        for bound in &mut self.bound {
            if let Some(seen) = seen.get_mut(bound.index) {
                std::mem::swap(&mut bound.seen, seen);
            }
        }
    }
}

impl Test {
    /// `None` where an expression has no value.
    fn of(requirement: &Requirement, ty: &Type, scope: &dyn Lookup) -> Option<Test> {
        let value = |expr: &Expr| expr.eval_int(scope).ok();
        Some(match requirement {
            Requirement::Below(limit) => Test::Below(value(limit)?),
            Requirement::OneOf(values) => Test::OneOf(values.iter().filter_map(value).collect()),
            Requirement::Finite => Test::Finite,
            Requirement::Unique => Test::Unique,
            Requirement::Ordered => Test::Ordered,
            Requirement::Sum { of: _, total, tolerance } => {
                Test::Sum { total: *total, tolerance: *tolerance }
            }
            Requirement::ReservedZero => Test::ReservedZero(ty.reserved_bits()),
            Requirement::Terminated if ty.flat().item == Type::NulString => Test::Terminated,
            Requirement::Terminated => return None,
            Requirement::Holds(condition) => Test::Holds(condition.eval_bool(scope).ok()?),
        })
    }
}

/// What was found of an item that breaks a constraint.
struct Broken<I> {
    /// The numbers of the item, or what there is to say of them.
    found: Found<I>,
    previous: Option<Scalar>,
}

enum Found<I> {
    Item(I),
    Number(Scalar),
}

impl Bound {
    /// Whether it is plain that none of the items breaks it.
    fn allows<T: AsRef<[N]>, N: Copy + Into<Scalar>>(&mut self, mut items: impl Iterator<Item = T>) -> bool {
        match &self.test {
            Test::Below(limit) => {
                items.all(|item| item.as_ref().iter().all(|n| (*n).into().is_below(*limit)))
            }
            Test::Finite => items.all(|item| item.as_ref().iter().all(|n| (*n).into().is_finite())),
            Test::Ordered => {
                let mut previous = self.seen.previous;
                let mut firsts = items.filter_map(|item| item.as_ref().first().map(|n| (*n).into()));
                let is_ordered = firsts.all(|number: Scalar| {
                    !previous.replace(number).is_some_and(|previous| number < previous)
                });
                if is_ordered {
                    self.seen.previous = previous;
                }
                is_ordered
            }
            _ => false,
        }
    }

    /// What is wrong with an item; `None` if it is fine.
    fn broken<I: Iterator<Item = Scalar>>(&mut self, numbers: impl Fn() -> I) -> Option<Broken<I>> {
        let item = |numbers: I| Broken { found: Found::Item(numbers), previous: None };
        let unless = |holds: bool| (!holds).then(|| item(numbers()));
        match &self.test {
            Test::Below(limit) => unless(numbers().all(|number| number.is_below(*limit))),
            Test::OneOf(values) => {
                unless(numbers().all(|number| values.iter().any(|value| number.equals(*value))))
            }
            Test::Finite => unless(numbers().all(Scalar::is_finite)),
            Test::Terminated => unless(numbers().all(|last| last.equals(0))),
            Test::Unique => unless(numbers().all(|number| self.seen.keys.insert(number.key()))),
            Test::Ordered => {
                let number = numbers().next()?;
                let previous = self.seen.previous.replace(number).filter(|previous| number < *previous)?;
                let is_first = !std::mem::replace(&mut self.seen.is_unordered, true);
                is_first.then_some(Broken { found: Found::Number(number), previous: Some(previous) })
            }
            Test::Sum { total, tolerance } => {
                let sum = Scalar::sum(numbers());
                let is_near = (sum.as_f64() - total).abs() <= *tolerance;
                (!is_near).then_some(Broken { found: Found::Number(sum), previous: None })
            }
            Test::ReservedZero(mask) => {
                let Scalar::Int(word) = numbers().next()? else { return None };
                let set = word as u128 & mask;
                (set != 0).then(|| Broken { found: Found::Number(Scalar::Int(set as i128)), previous: None })
            }
            Test::Holds(holds) => unless(*holds),
        }
    }

    /// The message with the values that were found.
    fn message<I: Iterator<Item = Scalar> + Clone>(&self, broken: &Broken<I>) -> String {
        let mut text = String::new();
        for part in self.message.split_inclusive(['{', '}']) {
            let _ = match part.strip_suffix('}') {
                None => write!(text, "{}", part.trim_end_matches('{')),
                Some(placeholder) => self.fill(&mut text, placeholder, broken),
            };
        }
        text
    }

    fn fill<I: Iterator<Item = Scalar> + Clone>(
        &self,
        text: &mut String,
        placeholder: &str,
        broken: &Broken<I>,
    ) -> fmt::Result {
        let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        match (name, &self.test, &broken.found, broken.previous) {
            ("limit", Test::Below(limit), ..) => write!(text, "{limit}"),
            ("limit", Test::Sum { total, .. }, ..) => write!(text, "{total}"),
            ("limit", Test::OneOf(values), ..) => text.write_str(&alternatives(values)),
            ("previous", .., Some(previous)) => write!(text, "{previous}"),
            ("found", _, Found::Number(number), _) => write_number(text, *number, format),
            ("found", _, Found::Item(numbers), _) => match &*numbers.clone().collect::<Vec<_>>() {
                [number] => write_number(text, *number, format),
                numbers => write!(text, "{numbers:?}"),
            },
            _ => Ok(()),
        }
    }
}

/// The message of a constraint, or the usual one, with the values of other fields in it.
fn template(constraint: &Constraint, scope: &dyn Lookup) -> Cow<'static, str> {
    let Some(message) = constraint.message else {
        return Cow::Borrowed(match constraint.requirement {
            Requirement::Below(_) => "found {found}, expected less than {limit}",
            Requirement::OneOf(_) => "found {found}, expected {limit}",
            Requirement::Finite => "{found} is not finite",
            Requirement::Unique => "{found} for the second time",
            Requirement::Ordered => "{found} after {previous}",
            Requirement::Sum { .. } => "adds up to {found}, expected {limit}",
            Requirement::ReservedZero => "reserved bits are set: {found:#x}",
            Requirement::Terminated => "the last string does not end with a NUL",
            Requirement::Holds(_) => "does not hold",
        });
    };
    let mut text = Cow::Borrowed(message);
    for placeholder in constraint.placeholders() {
        let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        if let Some(Value::Int(number)) = scope.lookup(&name.split('.').collect::<Vec<_>>()) {
            let mut value = String::new();
            let _ = write_number(&mut value, number.into(), format);
            text = Cow::Owned(text.replace(&format!("{{{placeholder}}}"), &value));
        }
    }
    text
}

fn write_number(text: &mut String, number: Scalar, format: &str) -> fmt::Result {
    match (number, format.strip_prefix('#').and_then(|format| format.strip_suffix('x'))) {
        (Scalar::Int(number), Some(width)) => {
            let width = width.trim_start_matches('0').parse().unwrap_or(0);
            write!(text, "{number:#0width$x}")
        }
        (number, _) => write!(text, "{number}"),
    }
}
