//! The lines of a text as a tree: the lists that they add to.

use std::ops::ControlFlow;

use meshspec::AnyFormat;
use meshspec::layout::dump::Branch;

/// Lines of a list that become branches. Of the others, the tree has the places.
const MANY: usize = 100;

/// Returns a branch for each list, with its lines as parts.
pub fn lines(format: AnyFormat, bytes: &[u8]) -> Branch {
    let mut root = Branch { size: bytes.len() as u64, ..Branch::default() };
    format.lines(bytes, &mut |line| {
        let name = if line.list.is_empty() { "other lines" } else { line.list };
        let place = root.parts.iter().position(|list| list.step == name || list.label == name);
        let place = place.unwrap_or_else(|| {
            root.parts.push(list(name, line.list, line.offset));
            root.parts.len() - 1
        });
        let list = &mut root.parts[place];
        let size = line.bytes.len() as u64;
        let index = list.count.unwrap_or_default();
        list.count = Some(index + 1);
        list.size = line.offset + size - list.offset;
        if list.parts.len() >= MANY {
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

/// A list without lines. Lines that add to no list have none in their path.
fn list(name: &str, list: &str, offset: u64) -> Branch {
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
