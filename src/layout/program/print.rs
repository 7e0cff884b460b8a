//! Prints programs: their slots, and the equations of each stored value.

use super::equation::{Equation, Origin, Role};
use super::model::{Call, Program, Size, Step, Unit, UnitId};
use super::names::Names;
use super::size::size_of_unit;
use crate::layout::declaration::{Declaration, Packing, Shape, Type};
use crate::layout::expr::Expr;
use crate::layout::wording::{Lines, base_name, readable, type_text};

/// Prints the programs of the layouts of a format.
pub(in crate::layout) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = Lines::default();
    out.line(format!("{title}, as the walker, the assembler, the generator and the breaker run it."));
    out.line("");
    out.line("Each field that an expression names has a slot, $0 and up, in every struct where it is visible. = introduces");
    out.line("the source of a stored value when a file is assembled, -> its effect.");
    for (name, ty) in layouts {
        let program = Program::of(ty);
        out.line("");
        out.line(format!("== {name}: {}", base_name(program.forms[program.root].ty)));
        let equations = program.equations();
        let uses: Vec<_> =
            equations.iter().map(|equation| (program.origins_of(equation), equation)).collect();
        for problem in &program.problems {
            out.line(format!("problem: {problem}"));
        }
        for (unit, _) in program.reading_order() {
            program.print_unit(&mut out, unit, &uses);
        }
    }
    out.into_text()
}

impl Program {
    fn origins_of(&self, equation: &Equation) -> Vec<Origin> {
        let mut origins = Vec::new();
        self.for_each_origin(equation.unit, equation.code, &mut |origin, _| origins.push(origin));
        origins
    }

    fn print_unit(&self, out: &mut Lines, id: UnitId, uses: &[(Vec<Origin>, &Equation)]) {
        let Unit { declaration, slots, steps, .. } = &self.units[id];
        out.line("");
        let imports = match declaration.imports {
            [] => String::new(),
            imports => format!("({})", imports.join(", ")),
        };
        out.line(format!("{}{imports}: {}", declaration.name, self.size_text(&self.units[id])));
        out.indented(|out| {
            for (slot, name) in slots.iter().enumerate().filter(|(_, name)| name.import.is_some()) {
                out.line(format!("${slot} {}, imported", name.path.join(".")));
            }
            match declaration.shape {
                Shape::Struct(_) => {
                    steps
                        .iter()
                        .for_each(|step| self.print_step(out, declaration, slots_of(step), step, uses));
                }
                Shape::Choice(variants) => {
                    for variant in variants {
                        let condition = plain(&variant.condition);
                        out.line(format!(
                            "{} if {condition}: {}",
                            variant.name,
                            type_text(&variant.field, &Names::default())
                        ));
                    }
                }
                Shape::Enum { size, .. } => out.line(format!("a named value of {size} bytes")),
                Shape::Bits { .. } => out.line("a packed word"),
            }
        });
    }

    fn print_step(
        &self,
        out: &mut Lines,
        declaration: &'static Declaration,
        slots: String,
        step: &Step,
        uses: &[(Vec<Origin>, &Equation)],
    ) {
        let field = step.field;
        let mut line = format!("{}{slots}: {}", field.name, type_text(field, &Names::default()));
        line.push_str(&arguments(&step.call, field.arguments));
        if let Some(condition) = &field.condition {
            line.push_str(&format!(" if {}", plain(condition)));
        }
        if let Some(position) = &field.position {
            line.push_str(&format!(" at {}", plain(position)));
        }
        if field.lookahead {
            line.push_str(", look-ahead");
        }
        if let Some(block) = &field.block {
            let packing = if block.packing == Packing::Stored { "holds" } else { block.packing.name() };
            line.push_str(&format!(", {packing} {}", base_name(&block.content)));
        }
        out.line(line);
        let is_own = |origin: &Origin| origin.name == field.name && origin.declaration == declaration;
        out.indented_by(4, |out| {
            for (_, equation) in uses.iter().filter(|(origins, _)| origins.iter().any(is_own)) {
                out.line(equation.text(&self.units[equation.unit]));
            }
        });
    }

    fn size_text(&self, unit: &Unit) -> String {
        match size_of_unit(unit, &self.forms) {
            Size::Fixed(1) => "1 byte".to_owned(),
            Size::Fixed(size) => format!("{size} bytes"),
            Size::Argued => "size depends on its arguments".to_owned(),
            Size::Open => "size depends on its content".to_owned(),
        }
    }
}

impl Equation<'_> {
    /// Describes the equation: `=` introduces the source of a value, `->` its effect.
    fn text(&self, unit: &Unit) -> String {
        let field = format!("{}.{}", unit.declaration.name, self.step.field.name);
        let expr = |expr: Option<&Expr>| expr.map(plain).unwrap_or_default();
        match self.role {
            Role::Count(_) => {
                format!("= number of items of {field}: {}", expr(self.step.field.count.as_ref()))
            }
            Role::Bytes => format!("= number of bytes of {field}: {}", expr(self.step.field.count.as_ref())),
            Role::Offset => format!("= offset of {field}"),
            Role::UnpackedSize => format!("= unpacked size of {field}"),
            Role::Checksum => format!("= checksum of {field}"),
            Role::Presence => format!("-> whether {field} is present"),
            Role::Choice => format!("-> the variant of {}", unit.declaration.name),
            Role::Check(check) => format!("-> whether {field} is valid: {}", check.message),
            Role::Holds(constraint) => format!("-> whether {} holds at {field}", constraint.rule.code),
        }
    }
}

fn slots_of(step: &Step) -> String {
    let own = step.value.iter().chain(step.exports.iter().map(|(_, to)| to));
    own.map(|slot| format!(" ${slot}")).collect()
}

fn arguments(call: &Call, arguments: &[Expr]) -> String {
    if call.arguments.is_empty() {
        return String::new();
    }
    format!("({})", arguments.iter().map(plain).collect::<Vec<_>>().join(", "))
}

/// Prints an expression with all its casts.
fn plain(expr: &Expr) -> String {
    readable(expr, &Names::default())
}
