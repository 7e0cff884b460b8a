//! The result of reading OBJ does not depend on how the text is split or which lines are parsed in parallel.

use crate::common::cases;
use meshspec::Strictness;
use meshspec::interop::__private::{ParseSizes, parse_to_debug};

/// Lines of all kinds.
const LINES: [&str; 35] = [
    "v 0 0 0",
    "v 1 0 0 # a comment",
    "  v 1 1 0  ",
    "v 0 1 0 1 0.5 0",
    "v 0 1 0 0.5",
    "v 0 \\\n 1 \\\r\n\n \n 0",
    "vt 0.5",
    "vt -nan(ind) 1.#QNAN",
    "vt 0.5 0.5 0.5",
    "vn 0 0 1",
    "f 1 2 3",
    "f 1 2 3 4",
    "f 1/1/1 2/1/1 3/2/1",
    "f 1//1 2//1 3//2",
    "f 3/2 2/1 1/2",
    "f -1 -2 -3",
    "f 7 8 9 10",
    "f 5/9/9 2 3",
    "f 1 2",
    "f 1 -1/-1/-1 3",
    "f 1 0 2",
    "f 1 x 2",
    "f 400 2 1",
    "g left",
    "g",
    "o thing",
    "usemtl red",
    "usemtl green",
    "mtllib a.mtl",
    "s 1",
    "s off",
    "l 1 2",
    "# a comment",
    "",
    "v 0 0",
];

/// Returns random texts that consist of `LINES`.
fn texts() -> impl Iterator<Item = String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize % end
    };
    (0..cases(400)).map(move |round| {
        // Only every fourth text may contain the last line, an error that ends reading.
        let sorts = if round % 4 == 0 { LINES.len() } else { 34 };
        let line_end = ["\r\n", "\n", "\r"][round as usize % 3];
        let mut text = if round % 5 == 0 {
            "\u{feff}".to_owned()
        } else {
            String::new()
        };
        for _ in 0..1 + below(40) {
            let again = if below(4) == 0 { 1 + below(20) } else { 1 };
            let line = LINES[below(sorts)];
            (0..again).for_each(|_| text.extend([line, line_end]));
        }
        if round % 7 == 0 {
            text.truncate(text.trim_end().len());
        }
        text
    })
}

#[test]
fn split_sizes_do_not_affect_the_result() {
    let (mut read, mut rejected) = (0u32, 0u32);
    for text in texts() {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            // The expected result: each line is parsed separately.
            let alone = ParseSizes {
                window: usize::MAX,
                piece: usize::MAX,
                run: usize::MAX,
            };
            let expected = parse_to_debug(&text, strictness, alone);
            *if expected.starts_with("ObjFile") {
                &mut read
            } else {
                &mut rejected
            } += 1;
            for (window, piece, run) in [
                (1 << 20, 1 << 20, 1),
                (1 << 20, 100, 10),
                (300, 1 << 20, 1),
                (64, 30, 1),
                (1, 1, 1),
            ] {
                let sizes = ParseSizes { window, piece, run };
                let other = parse_to_debug(&text, strictness, sizes);
                assert!(
                    other == expected,
                    "{sizes:?} of {text:?}:\n{other}\ninstead of\n{expected}"
                );
            }
        }
    }
    let least = cases(100);
    assert!(
        read > least && rejected > least,
        "{read} are read, {rejected} are rejected"
    );
}
