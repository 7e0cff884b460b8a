//! Prints a C header. Fixed-size structs become packed structs. Enums and packed words become `typedef`s. Magic bytes,
//! enum values, bit fields, and offsets that depend on imports become macros. Everything else becomes comments.
//!
//! A struct of variable size becomes a comment that lists its fields. Its leading unconditional fixed-size fields
//! become a packed struct (`…_start`), unless there are none, or only one with a declared type. If the size depends
//! only on imports, macros for the field offsets and the total size follow.

mod text;

use self::text::{
    PROLOGUE, check_lines, escape_c_string, member_name, offset_phrase, one_line, print_comment,
    push_title, type_with_content,
};
use crate::layout::declaration::{BitField, Declaration, EnumValue, Field, Shape, Type};
use crate::layout::expr::{IntType, Scope};
use crate::layout::notation::{
    Notation, TextNotation, atom, print as print_expr, to_identifier, to_snake_case,
};
use crate::layout::program::{self, ListingOrder, Names, Reached, ValueKind, reachable};
use crate::layout::wording::{
    IndentedText, bit_field_lines, byte_order_text, declaration_lines, offset_texts, readable_expr,
};

/// Prints the header of a format, with `note` in its first comment. The names of types and layout macros start with
/// `name`, in upper case for macros.
pub(super) fn print(
    name: &str,
    title: &str,
    note: &str,
    layouts: &[(&str, &'static Type)],
) -> String {
    let c = CPrinter { prefix: name };
    let note = if note.is_empty() {
        String::new()
    } else {
        format!("\n\n{note}")
    };
    let guard = format!("{}_LAYOUT_H", name.to_uppercase());
    let mut out = IndentedText::default();
    print_comment(
        &mut out,
        &format!(
            "{title}: the structures of a file.\n\n{}, and there is no padding between \
             fields.\nOn little-endian machines, the structs can be mapped onto the bytes of a file.\n\nThe bits of a \
             word have NAME_SHIFT, NAME_MASK (after shifting) and NAME(word), which extracts their value.\n\nMagic \
             bytes are NAME_MAGIC, a string of NAME_MAGIC_SIZE bytes. \"Decoded as\" introduces a formula: x is the \
             stored number,\nthe fields of a word have their names, and brackets enclose the numbers of a vector.{note}",
            byte_order_text(layouts)
        ),
    );
    out.push_line(format!("#ifndef {guard}"));
    out.push_line(format!("#define {guard}"));
    out.push_line("");
    out.push_prefixed("", PROLOGUE);
    for reached in reachable(layouts, ListingOrder::PartsFirst) {
        out.push_line("");
        c.print_declaration(&mut out, &reached);
    }
    out.push_paragraph("#pragma pack(pop)");
    out.push_paragraph("#endif");
    out.into_text()
}

/// Prints declarations in C, with `prefix` at the start of type and macro names.
struct CPrinter<'p> {
    prefix: &'p str,
}

impl Notation for CPrinter<'_> {
    /// Prints bit fields as calls of their macros.
    fn path(&self, path: &[&str], steps: &[ValueKind]) -> String {
        let mut text = String::new();
        for (index, name) in path.iter().enumerate() {
            match index.checked_sub(1).and_then(|before| steps.get(before)) {
                Some(ValueKind::Bits(word)) => {
                    text = format!("{}({text})", self.macro_name(word, name))
                }
                Some(_) => text = format!("{text}.{}", member_name(name)),
                // Macro parameters need parentheses; the macro of a bit field adds them.
                None if path.len() > 1 => text = member_name(name),
                None => text = format!("({})", member_name(name)),
            }
        }
        text
    }

    fn matches(&self, text: String, pattern: &str) -> String {
        TextNotation.matches(text, pattern)
    }

    fn cast(&self, text: String, to: IntType) -> String {
        let sign = if to.signed { "" } else { "u" };
        format!("(({sign}int{}_t){text})", to.bits)
    }
}

impl CPrinter<'_> {
    fn type_name(&self, declaration: &Declaration) -> String {
        format!("{}_{}", self.prefix, to_snake_case(declaration.name))
    }

    fn macro_name(&self, declaration: &Declaration, part: &str) -> String {
        format!("{}_{}", self.type_name(declaration), to_identifier(part)).to_uppercase()
    }

    fn print_declaration(&self, out: &mut IndentedText, reached: &Reached) {
        let declaration = reached.declaration;
        match declaration.shape {
            Shape::Bits { size, fields } => self.print_bits(out, reached, size, fields),
            Shape::Enum { size, values } => self.print_enum(out, declaration, size, values),
            Shape::Struct(fields)
                if declaration
                    .size(&Scope::default())
                    .is_some_and(|size| size > 0) =>
            {
                print_comment(out, declaration.doc);
                self.print_magic(out, declaration);
                self.print_struct(out, &self.type_name(declaration), reached, fields);
            }
            Shape::Struct(fields) => self.print_variable_struct(out, reached, fields),
            Shape::Choice(variants) => {
                let mut text = IndentedText::default();
                push_title(&mut text, declaration);
                text.push_line("");
                let names = reached.names;
                for variant in variants {
                    let condition = readable_expr(&variant.condition, &names);
                    let ty = type_with_content(&variant.field, &names);
                    text.push_line(format!("- {}, if {condition}: {ty}", variant.name));
                    text.push_prefixed("  ", &check_lines(&variant.field, &names));
                }
                print_comment(out, &text.into_text());
            }
        }
    }

    fn print_struct(
        &self,
        out: &mut IndentedText,
        name: &str,
        reached: &Reached,
        fields: &[Field],
    ) {
        let (declaration, names) = (reached.declaration, reached.names);
        let sizes = fields
            .iter()
            .filter_map(|field| field.size(&Scope::default()));
        let size = declaration.magic.len() as u64 + sizes.sum::<u64>();
        out.push_nested(4, format!("typedef struct {name} {{"), |out| {
            if !declaration.magic.is_empty() {
                let name = self.macro_name(declaration, "magic");
                out.push_line(format!(
                    "uint8_t magic_bytes[{}]; /* {name} */",
                    declaration.magic.len()
                ));
            }
            for field in fields.iter().filter(|field| !field.lookahead) {
                let text = one_line(&format!("{}\n{}", field.doc, check_lines(field, &names)));
                out.push_line(
                    format!("{}; /* {text} */", self.member_text(field)).replace(" /*  */", ""),
                );
            }
        });
        out.push_line(format!("}} {name};"));
        out.push_line(format!(
            "MESHSPEC_STATIC_ASSERT(sizeof({name}) == {size}, \"size of {name}\");"
        ));
        for field in fields.iter().filter(|field| !field.lookahead) {
            if let Some((offset, _)) = declaration.offset_of(field.name, &Scope::default()) {
                let member = member_name(field.name);
                out.push_line(format!(
                    "MESHSPEC_STATIC_ASSERT(offsetof({name}, {member}) == {offset}, \"offset of {member}\");"
                ));
            }
        }
    }

    /// Returns the type and name of a fixed-size field.
    fn member_text(&self, field: &Field) -> String {
        let flat = field.ty.flatten();
        let count = || {
            field
                .count
                .and_then(|count| count.eval_int(&Scope::default()).ok())
        };
        let length = |fixed: Option<u64>| fixed.map(i128::from).or_else(count).unwrap_or_default();
        let dimensions = flat.dimensions.into_iter();
        let mut dimensions: String = dimensions
            .map(|fixed| format!("[{}]", length(fixed)))
            .collect();
        let ty = match flat.item {
            Type::Unsigned(size) if size <= 8 => format!("uint{}_t", 8 * size),
            Type::Signed(size) if size <= 8 => format!("int{}_t", 8 * size),
            Type::Float(4) => "float".to_owned(),
            Type::Float(_) => "double".to_owned(),
            Type::Declared(declaration) => self.type_name(declaration),
            // C has no type for big-endian or 128-bit numbers, so they become byte arrays.
            other => {
                dimensions.push_str(&format!("[{}]", other.size().unwrap_or_default()));
                "uint8_t".to_owned()
            }
        };
        format!("{ty} {}{dimensions}", member_name(field.name))
    }

    fn print_variable_struct(
        &self,
        out: &mut IndentedText,
        reached: &Reached,
        fields: &'static [Field],
    ) {
        let (declaration, names) = (reached.declaration, reached.names);
        let mut text = IndentedText::default();
        push_title(&mut text, declaration);
        text.push_line("");
        for (field, offset) in fields.iter().zip(offset_texts(reached)) {
            let condition = field
                .condition
                .map(|c| format!(", if {}", readable_expr(&c, &names)));
            let condition = condition.unwrap_or_default();
            let ty = type_with_content(field, &names);
            let ahead = if field.lookahead {
                ", as a look-ahead"
            } else {
                ""
            };
            text.push_line(format!(
                "- {}: {ty}, {}{condition}{ahead}",
                field.name,
                offset_phrase(&offset)
            ));
            text.push_prefixed("  ", &check_lines(field, &names));
        }
        print_comment(out, &text.into_text());
        self.print_magic(out, declaration);
        let scope = Scope::default();
        let has_size = |field: &Field| field.size(&scope).is_some_and(|size| size > 0);
        let fixed = |f: &&Field| f.condition.is_none() && f.block.is_none() && has_size(f);
        let start = &fields[..fields.iter().take_while(fixed).count()];
        let named_already = matches!(
            start,
            [Field {
                ty: Type::Declared(_),
                ..
            }]
        );
        if !start.is_empty() && !named_already {
            out.push_line(format!(
                "/* The fixed start of every {}. */",
                declaration.name
            ));
            self.print_struct(
                out,
                &format!("{}_start", self.type_name(declaration)),
                reached,
                start,
            );
        }
        self.print_offset_macros(out, reached, fields);
    }

    /// Prints the offset of each field and the total size as macros over the imports, if they depend on nothing else.
    fn print_offset_macros(&self, out: &mut IndentedText, reached: &Reached, fields: &[Field]) {
        let plain =
            |k: &ValueKind| matches!(k, ValueKind::Int(_) | ValueKind::Bool | ValueKind::Bits(_));
        if reached.size != program::FormSize::FromArguments || !reached.imports.iter().all(plain) {
            return;
        }
        let sizes = fields
            .iter()
            .map(|field| self.size_term(field, &reached.names));
        let sizes = sizes.collect::<Option<Vec<_>>>();
        let (Some(sizes), imports) = (sizes, reached.declaration.imports) else {
            return;
        };
        let parameters = imports
            .iter()
            .map(|import| member_name(import))
            .collect::<Vec<_>>()
            .join(", ");
        let mut fixed = reached.declaration.magic.len() as u64;
        let mut terms: Vec<String> = Vec::new();
        let sum = |fixed: u64, terms: &[String]| {
            let fixed = (fixed > 0 || terms.is_empty()).then(|| fixed.to_string());
            let all: Vec<_> = fixed.into_iter().chain(terms.iter().cloned()).collect();
            format!("({})", all.join(" + "))
        };
        for (field, (size, term)) in fields.iter().zip(sizes) {
            let name = self.macro_name(reached.declaration, field.name);
            out.push_line(format!(
                "#define {name}_OFFSET({parameters}) {}",
                sum(fixed, &terms)
            ));
            fixed += size;
            terms.extend(term);
        }
        let name = self.macro_name(reached.declaration, "size");
        out.push_line(format!(
            "#define {name}({parameters}) {}",
            sum(fixed, &terms)
        ));
    }

    /// Returns the size of a field: a number to which a term of the imports, if any, is added. `None` for blocks, and
    /// for sizes that depend on other values.
    fn size_term(&self, field: &Field, names: &Names) -> Option<(u64, Option<String>)> {
        if field.block.is_some() {
            return None;
        }
        let present = Field {
            condition: None,
            ..*field
        };
        let (size, term) = match (
            present.size(&Scope::default()),
            field.ty.item_type_and_count(),
            field.count,
        ) {
            (Some(size), ..) => (size, None),
            (None, Some((item, None)), Some(count)) => (
                0,
                Some(format!(
                    "UINT64_C({}) * {}",
                    item.size()?,
                    atom(&count, names, self)
                )),
            ),
            _ => return None,
        };
        let Some(condition) = field.condition else {
            return Some((size, term));
        };
        let size = term.unwrap_or_else(|| size.to_string());
        Some((
            0,
            Some(format!(
                "({} ? {size} : 0)",
                print_expr(&condition, names, self)
            )),
        ))
    }

    /// Prints macros for magic bytes: a string, and its size.
    fn print_magic(&self, out: &mut IndentedText, declaration: &Declaration) {
        if declaration.magic.is_empty() {
            return;
        }
        let name = self.macro_name(declaration, "magic");
        out.push_line(format!(
            "#define {name} \"{}\"",
            escape_c_string(declaration.magic)
        ));
        out.push_line(format!("#define {name}_SIZE {}", declaration.magic.len()));
    }

    fn print_enum(
        &self,
        out: &mut IndentedText,
        declaration: &Declaration,
        size: u32,
        values: &[EnumValue],
    ) {
        print_comment(out, declaration.doc);
        out.push_line(format!(
            "typedef uint{}_t {};",
            8 * size,
            self.type_name(declaration)
        ));
        for value in values {
            let name = self.macro_name(declaration, &to_snake_case(value.name));
            let doc = one_line(value.doc);
            out.push_line(
                format!("#define {name} {} /* {doc} */", value.value).replace(" /*  */", ""),
            );
        }
    }

    fn print_bits(
        &self,
        out: &mut IndentedText,
        reached: &Reached,
        size: u32,
        fields: &[BitField],
    ) {
        let declaration = reached.declaration;
        print_comment(out, &declaration_lines(declaration));
        let name = self.type_name(declaration);
        match (size, reached.is_big) {
            (1 | 2 | 4 | 8, false) => out.push_line(format!("typedef uint{}_t {name};", 8 * size)),
            (_, is_big) => {
                let order = if is_big { "big" } else { "little" };
                out.push_line(format!(
                    "typedef struct {name} {{ uint8_t bytes[{size}]; }} {name};"
                ));
                out.push_line(format!(
                    "/* Bits are numbered in the bytes as one {order}-endian number. */"
                ));
            }
        }
        for field in fields {
            let name = self.macro_name(declaration, field.name);
            let (shift, width) = (field.bits.offset, field.bits.width);
            let text = bit_field_lines(field, &reached.names);
            if !text.is_empty() {
                out.push_line(format!("/* {} */", one_line(&text)));
            }
            out.push_line(format!("#define {name}_SHIFT {shift}"));
            if size > 8 {
                out.push_line(format!("#define {name}_WIDTH {width}"));
                continue;
            }
            let mask = format!("UINT64_C({:#x})", u64::MAX >> (64 - width));
            out.push_line(format!("#define {name}_MASK {mask}"));
            let value = format!("(((uint64_t)(word) >> {shift}) & {mask})");
            if field.signed {
                let sign = format!("UINT64_C({:#x})", 1u64 << (width - 1));
                out.push_line(format!(
                    "#define {name}(word) ((int64_t)(({value} ^ {sign}) - {sign}))"
                ));
            } else {
                out.push_line(format!("#define {name}(word) {value}"));
            }
        }
    }
}
