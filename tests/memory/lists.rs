//! Memory is proportional to the file size for lists of the binary formats, even with many small items.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use libtest_mimic::Trial;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::layout::walk::{Node, Segment, Visit, Visitor, path_text, walk};
use meshspec::scene::SceneOptions;
use meshspec::{AnyFormat, Error, Limits, ReadOptions};

use crate::common::{samples, values_of};
use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    // Takes fifteen seconds of processor time: `.ci/run` runs it.
    trials![long_lists_use_memory_proportional_to_their_size]
        .into_iter()
        .map(|trial| trial.with_ignored_flag(true))
        .collect()
}

/// The non-empty lists of a file, each with its first item. Nested lists are visited only in the first item of the
/// outer list.
#[derive(Default)]
struct Lists {
    found: Vec<(Vec<Segment>, UntypedValue)>,
    /// The structs and lists that enclose the next value, outermost first.
    groups: Vec<UntypedValue>,
    /// The total size of the file and of all unpacked blocks.
    bytes: usize,
}

impl Lists {
    fn of(layout: &'static Type, bytes: &[u8]) -> Lists {
        let mut lists = Lists {
            bytes: bytes.len(),
            ..Lists::default()
        };
        // An error ends the walk; the lists before it are kept.
        let _ = walk(layout, bytes, &Limits::default(), &mut lists);
        lists
    }

    fn record(&mut self, path: &[Segment], part: UntypedValue) {
        match (self.groups.last_mut(), path.last()) {
            (Some(UntypedValue::Struct(fields)), Some(Segment::Field(name))) => {
                fields.push(((*name).to_owned(), part))
            }
            (Some(UntypedValue::List(items)), _) => items.push(part),
            _ => {}
        }
    }
}

impl Visitor for Lists {
    fn enter(&mut self, node: &Node) -> Visit {
        let is_list = matches!(node.ty, Type::List(_) | Type::Array(..));
        self.groups.push(if is_list {
            UntypedValue::List(Vec::new())
        } else {
            UntypedValue::Struct(Vec::new())
        });
        if matches!(node.ty, Type::List(_)) {
            Visit::Items(0..1)
        } else {
            Visit::All
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            let text = match value {
                Value::Text(text) => UntypedValue::Bytes(text.clone()),
                value => value.to_string().into(),
            };
            self.record(node.path, text);
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        let group = self.groups.pop().unwrap();
        match (node.ty, &group) {
            (Type::List(_), UntypedValue::List(items)) if !items.is_empty() => {
                self.found.push((node.path.to_vec(), items[0].clone()));
                // Leaves a nested list in its outer item empty.
                self.record(node.path, UntypedValue::List(Vec::new()));
            }
            _ => self.record(node.path, group),
        }
        ControlFlow::Continue(())
    }

    fn visit_unpacked(&mut self, _: &Node, content: &[u8]) {
        self.bytes += content.len();
    }
}

/// Returns the file with 10,000 copies of the item in a list, or 255 copies if the count is a byte. Returns an error if
/// other lists must grow with it.
fn with_copies(
    layout: &'static Type,
    file: &[u8],
    lists: &Lists,
    list: &(Vec<Segment>, UntypedValue),
) -> Result<Vec<u8>, Error> {
    let set = |(path, item): &(Vec<Segment>, UntypedValue), count| {
        let change = Change::Set(UntypedValue::List(vec![item.clone(); count]));
        Edit {
            path: path.as_slice().into(),
            change,
        }
    };
    let with = |count: usize| {
        let named = |name: &str| {
            let mut found = lists.found.iter();
            found.find(|(path, _)| path_text(path) == name).unwrap()
        };
        let mut edits = vec![set(list, count)];
        match &*path_text(&list.0) {
            // An animation has a pose for each joint and time; here, only one joint is kept.
            "animations[0].timestamps" => edits.extend([
                set(named("joints"), 1),
                set(named("animations[0].poses"), count),
            ]),
            // All vertex buffers have a value for each vertex; here, only one buffer is kept.
            "data.vertices[0]" => {
                let buffer = UntypedValue::List(vec![list.1.clone(); count]);
                let buffers = Edit::set("data.vertices", UntypedValue::List(vec![buffer]));
                edits = vec![set(named("descriptor.attributes"), 1), buffers];
            }
            _ => {}
        }
        edit(layout, file, &edits, true, &Limits::default())
    };
    match with(10_000) {
        // The count is a byte.
        Err(error) if error.to_string().ends_with("10000 is out of range 0..=255") => with(255),
        result => result,
    }
}

fn long_lists_use_memory_proportional_to_their_size() {
    let mut grew = BTreeMap::new();
    for (format, sample) in samples() {
        let Some(layout) = format.layout_of(&sample, format.detect(&sample).dialect) else {
            continue;
        };
        let lists = Lists::of(layout, &sample);
        for list in &lists.found {
            let name = format!("{format} {}", path_text(&list.0));
            if grew.get(&name) == Some(&true) {
                continue;
            }
            let grown = with_copies(layout, &sample, &lists, list);
            if let Ok(bytes) = &grown {
                assert_small(&name, format, layout, bytes);
            }
            grew.insert(name, grown.is_ok());
        }
    }
    // Attributes and vertices must grow together, as must poses and their timestamps.
    let left: Vec<_> = grew
        .iter()
        .filter(|(_, grew)| !**grew)
        .map(|(name, _)| &**name)
        .collect();
    assert_eq!(
        left,
        [
            "iyma data.vertices",
            "iyma descriptor.attributes",
            "mesh animations[0].poses"
        ]
    );
    assert!(grew.len() > 20, "{grew:?}");
}

/// Asserts that checking, reading and converting use little memory. Levels of detail in BMD grow most: 4 bytes become a
/// struct of about 70. IyMA meshes may share vertices, which are copied for each mesh of the scene.
fn assert_small(name: &str, format: AnyFormat, layout: &'static Type, bytes: &[u8]) {
    let most = 20 * Lists::of(layout, bytes).bytes + MEBIBYTE / 256;
    let shared = if name == "iyma descriptor.meshes" {
        64 * MEBIBYTE
    } else {
        0
    };
    let options = ReadOptions::lenient();
    let (_, memory) = measure_peak(|| meshspec::check(bytes, format, &options));
    assert!(
        memory <= most,
        "{name}: checking takes {memory} bytes, {most} are allowed"
    );
    // Items with values at explicit offsets are not kept as bytes.
    let is_kept = !["bmd meshes", "bmd bones", "bmd animations"].contains(&name);
    if is_kept && walk(layout, bytes, &Limits::default(), &mut ()).is_ok() {
        let json = values_of(layout, bytes);
        let (tree, memory) = measure_peak(|| Tree::from_json(layout, &json));
        let most = 8 * Lists::of(layout, bytes).bytes + MEBIBYTE / 4;
        assert!(
            memory <= most,
            "{name}: values from JSON take {memory} bytes, {most} are allowed"
        );
        assert!(
            tree.unwrap().assemble(&Limits::default()).unwrap() == bytes,
            "{name}"
        );
    }
    let (document, memory) = measure_peak(|| format.read(bytes, &options));
    assert!(
        memory <= most,
        "{name}: reading takes {memory} bytes, {most} are allowed"
    );
    if let Ok(document) = document {
        let (_, memory) = measure_peak(|| document.into_scene(&SceneOptions::default()));
        let most = most + shared;
        assert!(
            memory <= most,
            "{name}: a scene takes {memory} bytes, {most} are allowed"
        );
    }
}
