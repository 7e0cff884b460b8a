//! Compares the enforcement in the rule tables with the declarations.

use std::collections::BTreeSet;

use meshspec::layout::declaration::{Field, Shape, Type};
use meshspec::layout::expr::Expr;
use meshspec::layout::schema::declared_rules;
use meshspec::layout::walk::{Fault, FaultKind};
use meshspec::mesh::Document;
use meshspec::{
    About, AnyFormat, Dialect, Enforcement, Format, Formats, Limits, Path, Report, Rule, Severity,
    Span,
};

type RuleCodes = BTreeSet<&'static str>;

fn codes(rules: impl IntoIterator<Item = &'static Rule>) -> RuleCodes {
    rules.into_iter().map(|rule| rule.code).collect()
}

/// Returns the codes of the rules enforced by `by`.
fn enforced(about: &About, by: Enforcement) -> RuleCodes {
    codes(
        about
            .rules
            .iter()
            .copied()
            .filter(|rule| rule.enforced_by == by),
    )
}

#[test]
fn declared_rules_match_the_declarations() {
    for format in Formats::BUILT_IN {
        let mut stated = codes(
            declared_rules(format.about().layouts())
                .into_iter()
                .map(|stated| stated.rule),
        );
        let grammar = format.grammar();
        stated.extend(
            grammar
                .iter()
                .flat_map(|grammar| grammar.rules)
                .map(|column| column.rule.code),
        );
        assert_eq!(
            enforced(format.about(), Enforcement::Declaration),
            stated,
            "{format}"
        );
    }
}

/// A rule is structural if the walker reports its violations: as a fault kind, a fault of the field with the rule, or
/// trailing bytes. In text formats, the grammar replaces the walker.
#[test]
fn structural_rules_match_faults() {
    for format in Formats::BUILT_IN
        .iter()
        .filter(|format| AnyFormat::from(**format).grammar().is_none())
    {
        let about = format.about();
        let declared = enforced(about, Enforcement::Declaration);
        let kinds = [
            FaultKind::End,
            FaultKind::Magic,
            FaultKind::Count,
            FaultKind::Value,
            FaultKind::Packing,
        ];
        let mut faults = codes(
            kinds
                .iter()
                .filter_map(|kind| about.rule_for(&fault(*kind))),
        );
        faults.retain(|code| about.rule(code).is_some());
        for (_, ty) in about.layouts() {
            let (mut fields, mut checksums) = (Vec::new(), Vec::new());
            collect(ty, &mut fields, &mut checksums);
            let is_checksum = |field: &Field| checksums.contains(&field.name);
            let faulty = fields.into_iter().filter(|field| !is_checksum(field));
            faults.extend(codes(faulty.filter_map(|field| field.rule)).difference(&declared));
        }
        let structural = enforced(about, Enforcement::Structure);
        let others: Vec<_> = structural.symmetric_difference(&faults).collect();
        assert!(
            others.iter().all(|code| code.ends_with("-TRAILING")),
            "{format}: {others:?}"
        );
    }
}

#[test]
fn replaced_rules_are_counted_by_their_codes() {
    static OLD: Rule = Rule::new("SAMPLE-OLD", Severity::Warning, "");
    static NEW: Rule = Rule::new("SAMPLE-NEW", Severity::Error, "");
    let mut report = Report::new(&Limits::default().with_max_findings_per_rule(1));
    for rule in [&OLD, &OLD, &NEW] {
        report.add(rule, "names", "");
    }
    let report = report.with_rules(|_| Some(&NEW));
    assert_eq!(
        (report.count_of("SAMPLE-OLD"), report.count_of("SAMPLE-NEW")),
        (0, 3)
    );
    assert_eq!(report.suppressed().collect::<Vec<_>>(), [("SAMPLE-NEW", 1)]);
}

#[test]
fn reasons_for_code_are_given() {
    let rules = Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().rules);
    assert!(
        rules
            .into_iter()
            .all(|rule| rule.enforced_by != Enforcement::Code(""))
    );
}

fn fault(kind: FaultKind) -> Fault {
    Fault {
        kind,
        path: Path::default(),
        span: Span::Bytes(0..0),
        message: String::new(),
        rule: None,
    }
}

/// Collects the fields of all declarations in a type, and the names of checksum fields.
fn collect(ty: &Type, fields: &mut Vec<&'static Field>, checksums: &mut Vec<&'static str>) {
    let declaration = match ty {
        Type::Declared(declaration) => declaration,
        Type::Array(item, _) | Type::List(item) => return collect(item, fields, checksums),
        _ => return,
    };
    let declared_fields: Vec<&'static Field> = match declaration.shape {
        Shape::Struct(fields) => fields.iter().collect(),
        Shape::Choice(variants) => variants.iter().map(|variant| &variant.field).collect(),
        Shape::Enum { .. } | Shape::Bits { .. } => return,
    };
    for field in declared_fields {
        fields.push(field);
        collect(&field.ty, fields, checksums);
        if let Some(block) = field.block {
            collect(&block.content, fields, checksums);
        }
        if let Some(Expr::Path(path)) = field.checksum.map(|checksum| checksum.stored) {
            checksums.extend(path.last());
        }
    }
}

/// A renderlib document without the root transform of its header: the fields after it are checked.
#[test]
fn fields_after_an_incomplete_header_are_checked() {
    let bytes = std::fs::read(format!("{}/samples/mesh/flag.mesh", crate::common::ROOT)).unwrap();
    let mut document = Document::read(&bytes, &Default::default()).unwrap();
    document.dialect = Dialect::RENDERLIB;
    document.indices[1] = 9;
    let codes: Vec<_> = document
        .check()
        .findings()
        .iter()
        .map(|finding| finding.rule.code)
        .collect();
    assert!(codes.contains(&"MESH-INDEX-RANGE"), "{codes:?}");
}
