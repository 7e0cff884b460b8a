//! The attribute table in the specification of Seed.

use meshspec::layout::grammar::ValueType;
use meshspec::seed::schema::ATTRIBUTES;

/// The rows as printed: attribute, identifier, values, required, requires.
const TABLE: &str = "\
| Position | p | 3 | Yes | None |
| Normal | n | 3 | Yes | None |
| Primary Color | c0 | 4 | No | None |
| Secondary Color | c1 | 4 | No | Primary Color |
| UV Channel 0 | u0 | 2 | Yes | None |
| UV Channel 1 | u1 | 2 | No | UV Channel 0 |
| UV Channel 2 | u2 | 2 | No | UV Channel 1 |
| UV Channel 3 | u3 | 2 | No | UV Channel 2 |
| UV Channel 4 | u4 | 2 | No | UV Channel 3 |
| UV Channel 5 | u5 | 2 | No | UV Channel 4 |
| UV Channel 6 | u6 | 2 | No | UV Channel 5 |
| UV Channel 7 | u7 | 2 | No | UV Channel 6 |
| Face | f | 3 | Yes | Vertex Indices |
";

#[test]
fn attributes() {
    let name_of = |identifier| {
        ATTRIBUTES
            .iter()
            .find(|row| row.identifier == identifier)
            .unwrap()
            .name
    };
    let rows = ATTRIBUTES.iter().map(|row| {
        let requires = match row.value_type {
            // The text does not state the type of indices.
            ValueType::Index => "Vertex Indices",
            _ => row.requires.map_or("None", name_of),
        };
        let required = if row.required { "Yes" } else { "No" };
        format!(
            "| {} | {} | {} | {required} | {requires} |\n",
            row.name, row.identifier, row.values
        )
    });
    assert_eq!(rows.collect::<String>(), TABLE);
}
