//! Whether files of interchange formats can be read.

use super::{Files, Interchange};
use crate::scene::SceneOptions;
use crate::{Enforcement, ReadOptions, Report, Result, Rule, Severity};

macro_rules! reading_rule {
    ($name:ident $code:literal $section:literal) => {
        static $name: Rule = Rule {
            code: $code,
            severity: Severity::Fatal,
            summary: "Files decode without errors.",
            section: $section,
            row: "",
            enforced_by: Enforcement::Code("interchange formats have no declaration"),
        };
    };
}

reading_rule!(GLTF "GLTF-READ" "glTF 2.0");
reading_rule!(OBJ "OBJ-READ" "OBJ");
reading_rule!(PLY "PLY-READ" "PLY");
reading_rule!(STL "STL-READ" "STL");

impl Interchange {
    /// Why a file cannot be read, with its place; an empty report if it can. What else may be wrong with it, or is left
    /// out of it where it is read leniently, is not looked for: there are programs for that.
    ///
    /// # Errors
    ///
    /// If decoding would take more than the limits allow.
    pub fn check(self, bytes: &[u8], files: &dyn Files, options: &ReadOptions) -> Result<Report> {
        let ReadOptions { limits, strictness, .. } = options;
        let mut report = Report::new(limits);
        match self.read(bytes, files, &SceneOptions::default().with_strictness(*strictness), limits) {
            Err(error) if error.kind() == crate::ErrorKind::LimitExceeded => return Err(error),
            Err(error) => {
                let rule = self.reading_rule();
                report.add_with(rule, || error.to_finding(rule));
            }
            Ok(_) => {}
        }
        Ok(report)
    }

    fn reading_rule(self) -> &'static Rule {
        match self.name() {
            "obj" => &OBJ,
            "ply" => &PLY,
            "stl" => &STL,
            _ => &GLTF,
        }
    }
}
