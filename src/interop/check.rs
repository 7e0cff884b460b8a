//! Checks files in interchange formats by reading them.

use super::{Files, Interchange};
use crate::scene::SceneOptions;
use crate::{Dialect, Enforcement, ReadOptions, Report, Result, Rule, RuleExample, Severity};

static GLTF: Rule = reading_rule("GLTF-READ", "glTF 2.0");
static OBJ: Rule = reading_rule("OBJ-READ", "OBJ");
static PLY: Rule = reading_rule("PLY-READ", "PLY");
static STL: Rule = reading_rule("STL-READ", "STL");

const fn reading_rule(code: &'static str, section: &'static str) -> Rule {
    let enforced_by = Enforcement::Code("interchange formats have no declaration");
    let rule = Rule::new(code, Severity::Fatal, "Files decode without errors.");
    Rule {
        section,
        enforced_by,
        ..rule
    }
}

impl Interchange {
    /// Reports the error that prevents reading; the report of a readable file is empty. For full validation, use a
    /// validator for the format, such as the Khronos glTF Validator.
    ///
    /// # Errors
    ///
    /// Returns an error if decoding would exceed the limits.
    pub fn check(self, bytes: &[u8], files: &dyn Files, options: &ReadOptions) -> Result<Report> {
        let ReadOptions {
            limits, strictness, ..
        } = options;
        let mut report = Report::new(limits);
        match self.read(
            bytes,
            files,
            &SceneOptions::default().with_strictness(*strictness),
            limits,
        ) {
            Err(error) if matches!(error.kind(), crate::ErrorKind::LimitExceeded(_)) => {
                return Err(error);
            }
            Err(error) => {
                let rule = self.rule();
                report.add_with(rule, || error.to_finding(rule));
            }
            Ok(_) => {}
        }
        Ok(report)
    }

    /// Returns the rule that files of this format must decode without errors.
    pub fn rule(self) -> &'static Rule {
        match self.name() {
            "obj" => &OBJ,
            "ply" => &PLY,
            "stl" => &STL,
            _ => &GLTF,
        }
    }

    /// Returns an example for the documentation: an unreadable file, and the same file without the error.
    pub fn rule_example(self) -> RuleExample {
        let (correct, from, to) = match self.name() {
            "obj" => (
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
                "v 1 0 0",
                "v 1 0 zero",
            ),
            "ply" => (PLY_TEXT, "1 0 0", "1 0 zero"),
            "stl" => (STL_TEXT, "vertex 1 0 0", "vertex 1 0 zero"),
            _ => (r#"{"asset": {"version": "2.0"}, "scenes": []}"#, "[]", "7"),
        };
        let violating = correct.replacen(from, to, 1).into();
        RuleExample {
            dialect: Dialect::SPEC,
            violating,
            correct: correct.into(),
        }
    }
}

const PLY_TEXT: &str = "\
ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
3 0 1 2
";

const STL_TEXT: &str = "\
solid triangle
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid triangle
";
