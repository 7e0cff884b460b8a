//! Names in Kaitai definitions: lower-case letters, digits and `_`, starting with a letter.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use crate::layout::declaration::Each;
use crate::layout::notation::to_snake_case;
use crate::layout::program::{Names, Reached};

/// Words with a meaning in Kaitai's expressions, in YAML, in generated definitions, or in a language that Kaitai
/// generates parsers for.
const RESERVED: &str = "false no null off on true yes \
    and not or \
    choice magic_bytes \
    abstract alignas alignof any as asm assert async auto await base begin bool boolean break byte case catch char \
    class const continue debugger decimal declare def default defined del delegate delete do double echo elif else \
    elseif elsif end ensure enum eval event except exec explicit export extends extern fallthrough final finally \
    fixed float fn for foreach friend from func function global go goto if implements import in inline instanceof \
    int interface internal is lambda let local lock long map module mutable namespace native new next nil none \
    nonlocal object operator out override package params pass private proc protected public raise redo register \
    repeat require rescue restrict retry return sealed select self short signed sizeof static strictfp string struct \
    super switch synchronized template then this throw throws trait transient try type typedef typename typeof undef \
    union unless unsigned until using var virtual void volatile when while with yield";

/// Returns the identifier for a name in Rust: `numVerts` becomes `num_verts`, `class` becomes `class_value`, and the
/// tuple field `0` becomes `field_0`.
pub(super) fn identifier(name: &str) -> String {
    let mut id = String::new();
    match name.strip_prefix('_') {
        Some(_) => id.push_str("unnamed_"),
        None if name.starts_with(|c: char| c.is_ascii_digit()) => id.push_str("field_"),
        None => {}
    }
    for letter in to_snake_case(name).trim_start_matches('_').chars() {
        match letter {
            'a'..='z' | '0'..='9' | '_' => id.push(letter),
            // Identifiers in Rust may contain any letters.
            other => id.push_str(&format!("u{:x}", u32::from(other))),
        }
    }
    if RESERVED.split(' ').any(|word| word == id) {
        id + "_value"
    } else {
        id
    }
}

/// The identifiers of fields and imports that differ from [`identifier`], since another one of the same type has that
/// identifier: `numVerts` beside `num_verts` becomes `num_verts_2`. A name has the same identifier in all types, so that
/// expressions can refer to fields of other types.
#[derive(Default)]
pub(super) struct Identifiers(BTreeMap<&'static str, String>);

impl Identifiers {
    pub fn of(all: &[Reached]) -> Identifiers {
        let mut used: BTreeSet<String> = all.iter().flat_map(value_names).map(identifier).collect();
        let mut renamed: BTreeMap<&'static str, String> = BTreeMap::new();
        for reached in all {
            let mut seen = BTreeSet::new();
            // The fields of several variants may have the same name.
            let mut names: Vec<_> = value_names(reached)
                .filter(|name| seen.insert(*name))
                .collect();
            // Names that stay the same take precedence.
            names.sort_by_key(|name| identifier(name) != *name);
            let mut own = BTreeSet::new();
            for name in names {
                let id = identifier(name);
                if !renamed.contains_key(name) && !own.insert(id.clone()) {
                    let numbered = (2..).map(|number| format!("{id}_{number}"));
                    renamed.extend(
                        numbered
                            .map(|id| (name, id))
                            .find(|(_, id)| used.insert(id.clone())),
                    );
                }
            }
        }
        Identifiers(renamed)
    }

    /// Returns the identifier of a field or import.
    pub fn id(&self, name: &str) -> String {
        self.0
            .get(name)
            .cloned()
            .unwrap_or_else(|| identifier(name))
    }
}

/// Returns the names of the imports, fields and bit fields of a declaration.
fn value_names(reached: &Reached) -> impl Iterator<Item = &'static str> {
    let declaration = reached.declaration;
    let bits = declaration.bit_fields().iter().map(|field| field.name);
    declaration
        .imports
        .iter()
        .copied()
        .chain(declaration.fields().map(|field| field.name))
        .chain(bits)
}

/// The names in the expressions of a declaration, and their identifiers.
#[derive(Clone, Copy)]
pub(super) struct KaitaiNames<'n> {
    pub names: Names<'n>,
    pub ids: &'n Identifiers,
    /// The list whose items provide the arguments of the current field.
    pub each: Option<Each>,
}

impl<'n> Deref for KaitaiNames<'n> {
    type Target = Names<'n>;

    fn deref(&self) -> &Names<'n> {
        &self.names
    }
}
