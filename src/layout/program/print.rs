//! Prints programs: their slots, and the equations of each stored value.

use super::equation::{Equation, Origins, Role, ValueOrigin};
use super::model::{FormSize, Program, Step, Unit, UnitId};
use super::names::Names;
use super::size::size_of_unit;
use crate::layout::declaration::{Declaration, Each, Packing, Shape, Type};
use crate::layout::expr::Expr;
use crate::layout::wording::{IndentedText, base_name, readable_expr, type_text};

/// Prints the program of each layout in a format.
pub(in crate::layout) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = IndentedText::default();
    out.push_line(format!(
        "{title}: the program that the walker, the assembler, the generator and the breaker run."
    ));
    out.push_paragraph(
        "Each field that an expression refers to has a slot ($0 and up) in every struct where it is visible.",
    );
    out.push_line(
        "After =: how a stored value is computed when a file is assembled. After ->: what depends on it.",
    );
    for (name, ty) in layouts {
        let program = Program::of(ty);
        out.push_paragraph(format!(
            "== {name}: {}",
            base_name(program.forms[program.root].ty)
        ));
        let with_origins =
            |equation: Equation<'static>| (program.origins(equation.unit, equation.code), equation);
        let uses: Vec<Use> = program.equations().into_iter().map(with_origins).collect();
        for problem in &program.problems {
            out.push_line(format!("problem: {problem}"));
        }
        for unit in program.reachable_units() {
            program.print_unit(&mut out, unit.id, &uses);
        }
    }
    out.into_text()
}

/// The stored values that an equation depends on, and the equation.
type Use<'p> = (Origins, Equation<'p>);

impl Program {
    fn print_unit(&self, out: &mut IndentedText, id: UnitId, uses: &[Use]) {
        let Unit {
            declaration,
            slots,
            steps,
            ..
        } = &self.units[id];
        out.push_line("");
        let imports = match declaration.imports {
            [] => String::new(),
            imports => format!("({})", imports.join(", ")),
        };
        let title = format!(
            "{}{imports}: {}",
            declaration.name,
            self.size_text(&self.units[id])
        );
        out.push_nested(2, title, |out| {
            for (slot, name) in slots
                .iter()
                .enumerate()
                .filter(|(_, name)| name.import.is_some())
            {
                out.push_line(format!("${slot} {}, imported", name.path.join(".")));
            }
            match declaration.shape {
                Shape::Struct(_) => {
                    steps
                        .iter()
                        .for_each(|step| self.print_step(out, declaration, step, uses));
                }
                Shape::Choice(variants) => {
                    for variant in variants {
                        let condition = expr_text(&variant.condition);
                        let ty = type_text(&variant.field, &Names::default());
                        out.push_line(format!("{} if {condition}: {ty}", variant.name));
                    }
                }
                Shape::Enum { size, .. } => out.push_line(format!("a named value of {size} bytes")),
                Shape::Bits { .. } => out.push_line("a packed word"),
            }
        });
    }

    fn print_step(
        &self,
        out: &mut IndentedText,
        declaration: &Declaration,
        step: &Step,
        uses: &[Use],
    ) {
        let field = step.field;
        let slots = step
            .value
            .iter()
            .chain(step.exports.iter().map(|(_, to)| to));
        let slots: String = slots.map(|slot| format!(" ${slot}")).collect();
        let mut line = format!(
            "{}{slots}: {}",
            field.name,
            type_text(field, &Names::default())
        );
        if !field.arguments.is_empty() {
            let arguments: Vec<_> = field.arguments.iter().map(expr_text).collect();
            line += &format!("({})", arguments.join(", "));
        }
        if let Some(Each { list, item }) = &field.each {
            line += &format!(" for each {item} of {}", list.join("."));
        }
        if let Some(condition) = &field.condition {
            line += &format!(" if {}", expr_text(condition));
        }
        if let Some(position) = &field.position {
            line += &format!(" at {}", expr_text(position));
        }
        if field.lookahead {
            line.push_str(", look-ahead");
        }
        if let Some(block) = &field.block {
            let packing = if block.packing == Packing::Stored {
                "contains"
            } else {
                block.packing.name()
            };
            line.push_str(&format!(", {packing} {}", base_name(&block.content)));
        }
        let is_own = |(origin, _): &(ValueOrigin, _)| {
            origin.name == field.name && origin.declaration == declaration
        };
        out.push_nested(4, line, |out| {
            let mut printed = Vec::new();
            for (_, equation) in uses
                .iter()
                .filter(|(origins, _)| origins.iter().any(is_own))
            {
                // Several variants may have the same list.
                let text = equation.text(&self.units[equation.unit]);
                if !printed.contains(&text) {
                    out.push_line(&text);
                    printed.push(text);
                }
            }
        });
    }

    fn size_text(&self, unit: &Unit) -> String {
        match size_of_unit(unit, &self.forms) {
            FormSize::Fixed(1) => "1 byte".to_owned(),
            FormSize::Fixed(size) => format!("{size} bytes"),
            FormSize::FromArguments => "size depends on its arguments".to_owned(),
            FormSize::FromContent => "size depends on its content".to_owned(),
        }
    }
}

impl Equation<'_> {
    /// Describes the equation: after `=`, how a value is computed; after `->`, what depends on it.
    fn text(&self, unit: &Unit) -> String {
        let field = format!("{}.{}", unit.declaration.name, self.step.field.name);
        let count = self
            .step
            .field
            .count
            .as_ref()
            .map(expr_text)
            .unwrap_or_default();
        match self.role {
            Role::Count(_) => format!("= number of items of {field}: {count}"),
            Role::Bytes => format!("= number of bytes of {field}: {count}"),
            Role::Offset => format!("= offset of {field}"),
            Role::UnpackedSize => format!("= unpacked size of {field}"),
            Role::Checksum => format!("= checksum of {field}"),
            Role::Presence => format!("-> whether {field} is present"),
            Role::Choice => format!("-> the variant of {}", unit.declaration.name),
            Role::Check(check) => format!("-> whether {field} is valid: {}", check.message),
            Role::Holds(constraint) => {
                format!("-> whether {} holds at {field}", constraint.rule.code)
            }
        }
    }
}

/// Prints an expression. Casts to fewer than 64 bits remain, since the kinds of names are unknown.
fn expr_text(expr: &Expr) -> String {
    readable_expr(expr, &Names::default())
}
