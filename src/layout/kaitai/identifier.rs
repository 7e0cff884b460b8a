//! Names in Kaitai definitions: lower-case letters, digits and `_`, starting with a letter.

use crate::layout::notation::to_snake_case;

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
    if RESERVED.split(' ').any(|word| word == id) { id + "_value" } else { id }
}
