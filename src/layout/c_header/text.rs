//! Formats comments, names and strings for C headers.

use crate::layout::declaration::{Declaration, Field};
use crate::layout::notation::escape_keyword;
use crate::layout::program::Names;
use crate::layout::wording::{
    IndentedText, check_text, content_text, packing_text, remark_lines, type_text,
};

pub(super) const PROLOGUE: &str = "\
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error \"the structs of this header are little-endian\"
#endif

#ifndef MESHSPEC_STATIC_ASSERT
#ifdef __cplusplus
#define MESHSPEC_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define MESHSPEC_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif
#endif

/* GCC, Clang and MSVC all support this pragma. */
#pragma pack(push, 1)";

pub(super) fn print_comment(out: &mut IndentedText, text: &str) {
    if !text.is_empty() {
        out.push_line("/*");
        out.push_prefixed(" * ", &escape_comment(text));
        out.push_line(" */");
    }
}

/// Reserved words of C and C++.
pub(super) const KEYWORDS: &str = "and asm auto bool break case catch char class const continue default delete do double else \
    enum explicit export extern false float for friend goto if inline int long mutable namespace new not operator or \
    private protected public register restrict return short signed sizeof static struct switch template this throw \
    true try typedef typeid typename union unsigned using virtual void volatile while xor";

pub(super) fn member_name(name: &str) -> String {
    escape_keyword(KEYWORDS, name)
}

/// Adds the name of a declaration and its doc comment, such as `Vertex: …`.
pub(super) fn push_title(text: &mut IndentedText, declaration: &Declaration) {
    text.push_prefixed("", &format!("{}: {}", declaration.name, declaration.doc));
}

/// Returns the checks and remarks of a field, a line for each.
pub(super) fn check_lines(field: &Field, names: &Names) -> String {
    let checks = field
        .checks
        .iter()
        .map(|check| check_text(check, field, names, str::to_owned));
    checks
        .chain([remark_lines(field, names)])
        .collect::<Vec<_>>()
        .join("\n")
}

/// Escapes bytes for a C string literal, without the quotes. Bytes other than ASCII letters, digits, space, `_`, `-`
/// and `.` become octal escapes.
pub(super) fn escape_c_string(bytes: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _-.".contains(&byte);
    let escaped = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("\\{byte:03o}")
        }
    };
    bytes.iter().map(|byte| escaped(*byte)).collect()
}

pub(super) fn offset_phrase(offset: &str) -> String {
    if offset.starts_with(|c: char| c.is_ascii_digit()) {
        format!("at {offset}")
    } else {
        offset.to_owned()
    }
}

/// Returns the type of a field; for a block, including its packing and content.
pub(super) fn type_with_content(field: &Field, names: &Names) -> String {
    let ty = type_text(field, names);
    let Some(block) = &field.block else { return ty };
    let packing = packing_text(block, names);
    let separator = if packing.is_empty() { "" } else { ": " };
    format!(
        "{ty} that contain {packing}{separator}{}",
        content_text(block)
    )
}

pub(super) fn one_line(text: &str) -> String {
    escape_comment(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Separates the characters that would end the comment, or start another one.
fn escape_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}
