//! Numbers in text as the libraries of C print them.

use meshspec::interop::Interchange::{Obj, Ply, Stl};

use super::{error, scene};

/// Spellings of numbers that are not finite, and whether they are infinite.
const SPELLINGS: [(&str, bool); 25] = [
    ("nan", false),
    ("NaN", false),
    ("-nan", false),
    ("inf", true),
    ("+Infinity", true),
    // Microsoft, since 2015.
    ("nan(ind)", false),
    ("-nan(ind)", false),
    ("-NAN(IND)", false),
    ("nan(snan)", false),
    // Others.
    ("nan(0x8000000000000)", false),
    ("-nan()", false),
    // Microsoft, before.
    ("1.#QNAN", false),
    ("-1.#QNAN0", false),
    ("1.#SNAN", false),
    ("-1.#IND", false),
    ("-1.#IND00", false),
    ("-1.#IND000e+000", false),
    ("1.#INF", true),
    ("1.#INF00", true),
    ("+1.#INF00000e+000", true),
    ("1.#inf", true),
    // With few decimals, Microsoft rounds the letters.
    ("1.#QO", false),
    ("-1.#J", false),
    ("1.#R", false),
    ("1.$", false),
];

#[test]
fn numbers_that_are_not_finite_are_read_in_every_spelling() {
    for (spelling, is_infinite) in SPELLINGS {
        let is_same = |number: f32| {
            let is_negative = spelling.starts_with('-');
            number.is_infinite() == is_infinite
                && number.is_nan() != is_infinite
                && (!is_infinite || number.is_sign_negative() == is_negative)
        };
        let text = format!(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt {spelling} 0\nvn {spelling} 0 1\nf 1/1/1 2/1/1 3/1/1\n"
        );
        let mesh = scene(Obj, text.as_bytes()).0.meshes.remove(0);
        assert!(
            is_same(mesh.uvs[0][0][0]) && is_same(mesh.normals.unwrap()[0][0]),
            "OBJ: {spelling}"
        );

        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty double y\nproperty float u\n\
             property double v\nend_header\n0 {spelling} {spelling} {spelling}\n"
        );
        let mesh = scene(Ply, text.as_bytes()).0.meshes.remove(0);
        assert!(
            is_same(mesh.positions[0][1]) && mesh.uvs[0][0].into_iter().all(is_same),
            "PLY: {spelling}"
        );

        let text = format!(
            "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 {spelling}\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
             endfacet\nendsolid\n"
        );
        let mesh = scene(Stl, text.as_bytes()).0.meshes.remove(0);
        assert!(is_same(mesh.positions[0][2]), "STL: {spelling}");
    }
    let negative = scene(Obj, b"v 0 0 0\nvt -1.#INF 0\nf 1/1 1/1 1/1\n").0;
    assert_eq!(negative.meshes[0].uvs[0][0][0], f32::NEG_INFINITY);
}

#[test]
fn other_words_are_no_numbers() {
    let words = [
        "nan(",
        "nan(i-d)",
        "nan(ind",
        "nan(ind)x",
        "1.#",
        "1.#QNANx",
        "1.#INFx",
        "2.#INF",
        "1.#1",
        "-1.",
        "ind",
    ];
    for word in words {
        let text = format!("v 0 0 {word}\n");
        match word {
            "-1." => assert_eq!(
                scene(Obj, text.as_bytes()).0.meshes[0].positions,
                [[0.0, 0.0, -1.0]]
            ),
            _ => assert_eq!(
                error(Obj, text.as_bytes()),
                format!("line 1, column 7: expected a number, found `{word}`")
            ),
        }
    }
}
