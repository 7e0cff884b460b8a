//! The wording of printed schemas: human-readable types, sizes, offsets, constraints and checks.

use std::fmt;

use super::declaration::{
    BitField, Block, Check, Checksum, Constraint, Declaration, Field, Packing, Requirement, Type,
};
use super::decoding::Decoding;
use super::expr::{Expr, Scope};
use super::notation::{TextNotation, atom, factor, is_compound, print};
use super::program::{ListingOrder, Names, Reached, reachable};
use super::walk::{Segment, path_text};
use crate::Rule;

/// Collects the lines of a printed schema.
#[derive(Debug, Default)]
pub(super) struct IndentedText {
    text: String,
    indent: usize,
}

impl IndentedText {
    /// Adds a line; empty lines are not indented.
    pub fn push_line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', self.indent));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Adds an empty line, then a line.
    pub fn push_paragraph(&mut self, line: impl AsRef<str>) {
        self.push_line("");
        self.push_line(line);
    }

    /// Adds a line, then the lines of `body`, indented by `columns` spaces.
    pub fn push_nested(
        &mut self,
        columns: usize,
        line: impl AsRef<str>,
        body: impl FnOnce(&mut Self),
    ) {
        self.push_line(line);
        self.indent += columns;
        body(self);
        self.indent -= columns;
    }

    /// Adds each line of `text` after a prefix.
    pub fn push_prefixed(&mut self, prefix: &str, text: &str) {
        for line in text.lines() {
            self.push_line(format!("{prefix}{line}").trim_end());
        }
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

/// Marks up a name or an expression, for example with backticks.
pub(super) type Markup = fn(&str) -> String;

/// Returns an expression as human-readable text.
pub(super) fn readable_expr(expr: &Expr, names: &Names) -> String {
    print(expr, names, &TextNotation)
}

/// Returns a type, such as `f32[4][4]`, `Vertex[header.vertex_count]`, `NUL-terminated bytes[to the end]` or
/// `Samples[one per channel]`.
pub(super) fn type_text(field: &Field, names: &Names) -> String {
    let count = match (&field.count, &field.each) {
        (Some(count), _) => readable_expr(count, names),
        (None, Some(each)) => format!("one per {}", each.item),
        (None, None) => "to the end".to_owned(),
    };
    format_type(&field.ty, &count)
}

/// Returns the type of a block's content.
pub(super) fn content_text(block: &Block) -> String {
    format_type(&block.content, "to the end")
}

fn format_type(ty: &Type, mut count: &str) -> String {
    let flat = ty.flatten();
    let dimensions = flat.dimensions.iter().map(|dimension| match dimension {
        Some(n) => format!("[{n}]"),
        // Only the number of items in the outermost list is known.
        None => format!("[{}]", std::mem::replace(&mut count, "to the end")),
    });
    base_name(&flat.item) + &dimensions.collect::<String>()
}

/// Returns the byte order of the numbers in the layouts, as the start of a sentence.
pub(super) fn byte_order_text(layouts: &[(&str, &'static Type)]) -> &'static str {
    let is_big = |field: &Field| matches!(field.content_type().flatten().item, Type::BigEndian(_));
    let has_big = |reached: &Reached| reached.declaration.fields().any(is_big);
    match reachable(layouts, ListingOrder::ContainersFirst)
        .iter()
        .any(has_big)
    {
        true => "Numbers are little-endian unless their type says big-endian",
        false => "Numbers are little-endian",
    }
}

/// Returns the name of a type; empty for arrays and lists.
pub(super) fn base_name(ty: &Type) -> String {
    match ty {
        Type::Unsigned(size) => format!("u{}", 8 * size),
        Type::Signed(size) => format!("i{}", 8 * size),
        Type::Float(size) => format!("f{}", 8 * size),
        Type::BigEndian(number) => format!("big-endian {}", base_name(number)),
        Type::NulString => "NUL-terminated bytes".to_owned(),
        Type::Declared(declaration) => declaration.name.to_owned(),
        _ => String::new(),
    }
}

/// Returns the size of a present field in bytes: a number, or a term of its count. Empty if it is neither.
pub(super) fn size_text(field: &Field, names: &Names) -> String {
    let present = Field {
        condition: None,
        position: None,
        lookahead: false,
        ..*field
    };
    if let Some(size) = present.size(&Scope::default()) {
        return size.to_string();
    }
    let (Some((item, None)), Some(count)) = (field.ty.item_type_and_count(), &field.count) else {
        return String::new();
    };
    match item.size() {
        Some(1) => readable_expr(count, names),
        Some(size) => format!("{} * {size}", factor(count, names, &TextNotation)),
        None => String::new(),
    }
}

/// Returns the offset of each field of a struct: `12`, `at header.offset` or `after names`.
pub(super) fn offset_texts(reached: &Reached) -> Vec<String> {
    let names = reached.names;
    let mut offset = Some(reached.declaration.magic.len() as u64);
    let mut previous = "";
    let mut texts = Vec::new();
    for field in reached.declaration.fields() {
        texts.push(match (&field.position, offset) {
            (Some(position), _) => format!("at {}", readable_expr(position, &names)),
            (None, Some(offset)) => offset.to_string(),
            (None, None) => format!("after {previous}"),
        });
        if field.position.is_none() && !field.lookahead {
            offset = offset.and_then(|offset| offset.checked_add(field.size(&Scope::default())?));
            previous = field.name;
        }
    }
    texts
}

/// Returns the packing, such as `one LZ4 block, n bytes unpacked`; empty for stored content.
pub(super) fn packing_text(block: &Block, names: &Names) -> String {
    let name = match (block.packing, &block.encoding) {
        (Packing::Stored, _) => return String::new(),
        (Packing::Chosen(packings), Some(number)) => {
            let packings = packings
                .iter()
                .map(|(number, packing)| format!("{number}: {}", packing.name()));
            let packings = packings.collect::<Vec<_>>().join(", ");
            format!(
                "packed as selected by {} ({packings})",
                readable_expr(number, names)
            )
        }
        (Packing::Lz4, _) => "one LZ4 block".to_owned(),
        (Packing::Zstd, _) => "Zstandard frames without magic bytes".to_owned(),
        (packing, _) => packing.name().to_owned(),
    };
    match &block.size {
        Some(size) => format!(
            "{name}, {} bytes unpacked",
            atom(size, names, &TextNotation)
        ),
        None => name,
    }
}

/// Adds parentheses around a compound term.
pub(super) fn parenthesize_compound(text: &str) -> String {
    if is_compound(text) {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// Returns the requirement and condition of a constraint, and its rule. `code` marks names and expressions.
pub(super) fn constraint_text(
    constraint: &Constraint,
    field: &Field,
    names: &Names,
    code: Markup,
) -> String {
    let requirement = requirement_text(constraint, field, names, code);
    format!("{requirement} ({}).", rule_text(constraint.rule, code))
}

/// Returns the code and severity of a rule, such as `MESH-EMPTY, warning`. `code` marks the code.
fn rule_text(rule: &Rule, code: Markup) -> String {
    format!("{}, {}", code(rule.code), rule.severity.name())
}

/// Returns the requirement and the condition of a constraint, without a full stop.
pub(super) fn requirement_text(
    constraint: &Constraint,
    field: &Field,
    names: &Names,
    code: Markup,
) -> String {
    let expression = |expr: &Expr| code(&readable_expr(expr, names));
    let path = |list: &[Segment]| code(&path_text(list));
    let each = if field.ty.flatten().is_list() {
        "Each must"
    } else {
        "Must"
    };
    let requirement = match &constraint.requirement {
        Requirement::Below(limit) => format!("{each} be below {}", expression(limit)),
        Requirement::AtLeast(limit) => format!("{each} be at least {}", expression(limit)),
        Requirement::UnitVector => format!("{each} be a vector of length 1"),
        Requirement::OneOf(values) => {
            format!(
                "{each} be {}",
                join_alternatives(&values.iter().map(expression).collect::<Vec<_>>())
            )
        }
        Requirement::Finite => format!("{each} be finite"),
        Requirement::Unique => "Must be unique in the list".to_owned(),
        Requirement::Ordered => "Must not decrease from item to item".to_owned(),
        Requirement::Sum {
            of,
            total,
            tolerance,
        } => {
            let what = of.map_or(String::new(), |of| format!(" of {}", code(of)));
            let room = if *tolerance == 0.0 {
                String::new()
            } else {
                format!(" ± {tolerance}")
            };
            format!("The sum{what} must be {total}{room}")
        }
        Requirement::ReservedZero => "Reserved bits must be 0".to_owned(),
        Requirement::Terminated => "The last string must end with a NUL".to_owned(),
        Requirement::Holds(condition) => format!("{} must hold", expression(condition)),
        Requirement::Some(condition) => {
            format!(
                "{} must hold for at least one item of the list",
                expression(condition)
            )
        }
        Requirement::IndexInto {
            list,
            none,
            weights,
        } => {
            let weight = weights.map_or(String::new(), |weights| {
                format!(" with 0 in {}", code(weights))
            });
            let none = none.map(|none| format!(", or {}{weight} for none", expression(&none)));
            let limit = if names.is_length(list) {
                "below"
            } else {
                "an index into"
            };
            format!(
                "{each} be {limit} {}{}",
                path(list),
                none.unwrap_or_default()
            )
        }
        Requirement::Within { list, first } if names.is_length(list) => {
            let end = format!("{} + {}", factor(first, names, &TextNotation), field.name);
            format!("{} must not exceed {}", code(&end), path(list))
        }
        Requirement::Within { list, first } => {
            let (first, list) = (expression(first), path(list));
            format!("The range of this many items starting at {first} must lie within {list}")
        }
        Requirement::Counts { list } => format!("Must be the number of items in {}", path(list)),
        Requirement::Position => "Must be the index of the item".to_owned(),
        Requirement::Equal => "Must be equal in all items".to_owned(),
        Requirement::SameLength => "Must be as long as in the other items".to_owned(),
        Requirement::Permutation { of, groups } => {
            let what = of.map_or("numbers".to_owned(), |of| format!("values of {}", code(of)));
            let of = groups.map_or(String::new(), |groups| {
                format!(" of each {}", expression(&groups))
            });
            format!("The {what}{of} must be a permutation of 0, 1, 2, …")
        }
        Requirement::Forest {
            none,
            rooted,
            ids,
            parents_first,
        } => {
            let none = none.map_or(String::new(), |none| {
                format!("; {} means no parent", expression(&none))
            });
            let root = if *rooted {
                "; the first item is its own parent"
            } else {
                ""
            };
            let first = if *parents_first {
                ", lower than the index of the item"
            } else {
                ""
            };
            let index = match ids {
                Some(id) => {
                    format!(
                        "the index or the {} of the parent (the same one in all items)",
                        code(id)
                    )
                }
                None => "the index of the parent".to_owned(),
            };
            let cycles = match (parents_first, rooted) {
                (true, _) => "",
                (false, true) => "; the other items form no cycles",
                (false, false) => "; the items form no cycles",
            };
            format!("Must be {index}{first}{cycles}{root}{none}")
        }
    };
    let condition = constraint
        .condition
        .map(|condition| format!(" if {}", expression(&condition)));
    requirement + &condition.unwrap_or_default()
}

/// Returns the decoding, constraints and checksum of a field as plain text, a line for each.
pub(super) fn remark_lines(field: &Field, names: &Names) -> String {
    let line = |constraint| constraint_text(constraint, field, names, str::to_owned);
    let constraints = field.constraints.iter().map(line);
    let lines = decoding_text(field.decoding, str::to_owned)
        .into_iter()
        .chain(constraints);
    lines
        .chain(checksum_text(field, names, str::to_owned))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns text like `Checksum: CRC-32 from count on, stored in sum.`; `None` without checksum. `code` marks names.
pub(super) fn checksum_text(field: &Field, names: &Names, code: Markup) -> Option<String> {
    let Checksum {
        stored,
        function,
        from,
        none,
        ..
    } = field.checksum?;
    let stored = code(&readable_expr(&stored, names));
    let from = match from {
        Some("self") => " from the start of the struct on".to_owned(),
        Some(from) => format!(" from {} on", code(from)),
        None => String::new(),
    };
    let none = none.map_or(String::new(), |none| format!(", or {none} for none"));
    Some(format!(
        "Checksum: {}{from}, stored in {stored}{none}.",
        function.name
    ))
}

/// Returns the documentation of a bit field and the remarks on it, a line for each.
pub(super) fn bit_field_lines(field: &BitField, names: &Names) -> String {
    let remarks = remark_lines(&Field::from_bit_field(field), names);
    [field.doc, &remarks].join("\n").trim().to_owned()
}

/// Returns the documentation and decoding of a declaration.
pub(super) fn declaration_lines(declaration: &Declaration) -> String {
    let decoding = decoding_text(declaration.decoding, str::to_owned).unwrap_or_default();
    [declaration.doc, &decoding].join("\n").trim().to_owned()
}

/// Returns the decoding (the formula, or else the function) and the unit; `None` if there are none. `code` marks the
/// decoding.
pub(super) fn decoding_text(decoding: Decoding, code: Markup) -> Option<String> {
    let Decoding {
        name,
        formula,
        unit,
        ..
    } = decoding;
    let decoded = match (formula, name) {
        ("", "") if unit.is_empty() => return None,
        ("", "") => return Some(format!("In {unit}.")),
        ("", name) => format!("Decoded by {}", code(name)),
        (formula, _) => format!("Decoded as {}", code(formula)),
    };
    Some(if unit.is_empty() {
        format!("{decoded}.")
    } else {
        format!("{decoded}, in {unit}.")
    })
}

/// Returns the condition of a check, its message and its rule. `code` marks names and expressions.
pub(super) fn check_text(check: &Check, field: &Field, names: &Names, code: Markup) -> String {
    let condition = code(&readable_expr(&check.condition, names));
    let rule = field.rule.map_or(String::new(), |rule| {
        format!(" ({})", rule_text(rule, code))
    });
    format!("Rejected unless {condition}: {}{rule}.", check.message)
}

/// Joins values as in `0, 1 or 2`; returns `nothing` for an empty list.
pub(super) fn join_alternatives(values: &[impl fmt::Display]) -> String {
    let texts: Vec<_> = values.iter().map(|value| value.to_string()).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Returns the first sentence of a doc comment, on one line.
pub(super) fn first_sentence(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_end = |end: &usize| {
        let next = line[end + 2..].chars().next();
        next.is_some_and(char::is_uppercase) && !line[..*end].ends_with(['.', ' '])
    };
    match line.match_indices(". ").map(|(end, _)| end).find(is_end) {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}
