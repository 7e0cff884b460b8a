//! Converts the lines of a text file to an outline of lists.

use std::ops::ControlFlow;

use meshspec::AnyFormat;
use meshspec::layout::dump::Branch;

/// The maximum number of branches per list. For further lines, the outline contains only offsets.
const MAX_PER_LIST: usize = 100;

/// Returns the root of an outline with a branch for each list. The parts of a branch are the lines of its list.
pub fn line_outline(format: AnyFormat, bytes: &[u8]) -> Branch {
    let mut root = Branch {
        size: bytes.len() as u64,
        ..Branch::default()
    };
    format.lines(bytes, &mut |line| {
        let name = if line.list.is_empty() {
            "other lines"
        } else {
            line.list
        };
        let position = root
            .parts
            .iter()
            .position(|list| list.step == name || list.label == name);
        let position = position.unwrap_or_else(|| {
            root.parts.push(empty_list(name, line.list, line.offset));
            root.parts.len() - 1
        });
        let list = &mut root.parts[position];
        let size = line.bytes.len() as u64;
        let index = list.count.unwrap_or_default();
        list.count = Some(index + 1);
        list.size = line.offset + size - list.offset;
        if list.parts.len() >= MAX_PER_LIST {
            list.starts.push(line.offset);
            return ControlFlow::Continue(());
        }
        list.parts.push(Branch {
            step: format!("[{index}]"),
            ty: format!("line {}", line.number),
            offset: line.offset,
            size,
            value: line.text(),
            meaning: line.meaning(),
            ..Branch::default()
        });
        ControlFlow::Continue(())
    });
    root
}

/// Returns a branch for a list without lines. `list` is the path step; empty for lines that belong to no list.
fn empty_list(name: &str, list: &str, offset: u64) -> Branch {
    let label = if list.is_empty() { name } else { "" };
    Branch {
        step: list.to_owned(),
        label: label.to_owned(),
        ty: "lines".to_owned(),
        offset,
        count: Some(0),
        ..Branch::default()
    }
}
