//! The walker finds the fields that `source_fields` lists for parts of scenes, and the branches of the outline of fields.

use std::ops::ControlFlow;

use meshspec::layout::declaration::Type;
use meshspec::layout::dump::{Branch, Dump};
use meshspec::layout::walk;
use meshspec::scene::{MeshFields, SceneOptions};
use meshspec::{AnyFormat, Document, Span, read};

use crate::common::samples;

/// Returns the location of the value at a path, in the layout or in a line of a text file; `None` if there is none.
fn find_location(
    format: AnyFormat,
    layout: Option<&'static Type>,
    bytes: &[u8],
    path: &str,
) -> Option<Span> {
    let Some(layout) = layout else {
        let mut found = None;
        format.lines(bytes, &mut |line| match line.path() == path {
            true => {
                found = Some(Span::Bytes(
                    line.offset..line.offset + line.bytes.len() as u64,
                ));
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        });
        return found;
    };
    let path = walk::parse_path(layout, path)?;
    walk::find(layout, bytes, path.as_slice(), &Default::default())
}

/// Calls `check` with the document of each sample, and a function that returns the location of a path.
fn each_sample(check: impl Fn(&Document, &dyn Fn(&str) -> Option<Span>)) {
    for (id, bytes) in samples() {
        let document = read(&bytes, &Default::default()).unwrap();
        assert_eq!(document.format(), id);
        let format = id;
        let layout = format.layout_of(&bytes, document.dialect());
        check(&document, &|path| {
            find_location(format, layout, &bytes, path)
        });
    }
}

#[test]
fn every_vertex_and_face_has_its_items() {
    each_sample(|document, find| {
        let places = document.source_fields();
        let (scene, _) = document
            .clone()
            .into_scene(&SceneOptions::default())
            .unwrap();
        assert_eq!(places.meshes.len(), scene.meshes.len());
        for (mesh, MeshFields { vertices, faces }) in scene.meshes.iter().zip(&places.meshes) {
            let corners = mesh.faces.corner_count(mesh.positions.len());
            let face_count = mesh.faces.corners.as_ref().map_or(corners / 3, Vec::len);
            for (shares, count) in [(vertices, mesh.positions.len()), (faces, face_count)] {
                assert!(!shares.is_empty());
                for share in shares {
                    // A non-indexed mesh has no index items in the file.
                    if count == 0 || (shares == faces && mesh.faces.indices.is_none()) {
                        continue;
                    }
                    let last = share.first + share.width * count as u64 - 1;
                    for index in [share.first, last] {
                        let path = format!("{}[{index}]", share.list);
                        assert!(find(&path).is_some(), "{:?}: {path}", document.format());
                    }
                }
            }
        }
    });
}

#[test]
fn every_joint_and_key_has_its_item() {
    each_sample(|document, find| {
        let places = document.source_fields();
        let (scene, _) = document
            .clone()
            .into_scene(&SceneOptions::default())
            .unwrap();
        assert_eq!(places.joints.len(), scene.skeleton.joints.len());
        assert!(
            places.joints.iter().all(|joint| find(joint).is_some()),
            "{:?}",
            places.joints
        );
        assert_eq!(places.animations.len(), scene.animations.len());
        for (keys, animation) in places.animations.iter().zip(&scene.animations) {
            let samples: Vec<_> = animation
                .channels
                .iter()
                .map(|channel| channel.samples.len())
                .collect();
            assert_eq!(
                keys.channels.iter().map(Vec::len).collect::<Vec<_>>(),
                samples
            );
            for key in keys.channels.iter().filter_map(|channel| channel.last()) {
                let path = format!("{}[{key}]", keys.list);
                assert!(find(&path).is_some(), "{path}");
            }
        }
    });
}

#[test]
fn branches_match_the_walker() {
    for (id, bytes) in samples() {
        let format = id;
        let Some(layout) = format.layout_of(&bytes, format.detect(&bytes).dialect) else {
            continue;
        };
        for limit in [0, 100_000] {
            let outline = Dump::new(layout, &bytes).outline(limit);
            assert_eq!(outline.fault, None);
            let seen = check_branch(&outline.root, "", layout, &bytes);
            assert!(seen > 10, "{id}: {seen} branches");
            for block in &outline.blocks {
                let content =
                    walk::unpack_block(layout, &bytes, &Default::default(), &block.packed);
                assert_eq!(content.as_ref(), Some(&block.content));
            }
        }
    }
}

/// Asserts that the walker finds a branch and its parts at their offsets. Returns the number of branches.
fn check_branch(branch: &Branch, outer: &str, layout: &'static Type, bytes: &[u8]) -> usize {
    let path = format!("{outer}{}", branch.step);
    let mut seen = 0;
    // Blocks and magic bytes share the path of their parent.
    if !branch.step.is_empty() && branch.unpacks_to.is_none() {
        let steps = walk::parse_path(layout, &path).unwrap_or_else(|| panic!("{path}"));
        let span = walk::find(layout, bytes, steps.as_slice(), &Default::default());
        let span = span.unwrap_or_else(|| panic!("{path}"));
        assert_eq!(
            *span.range(),
            branch.offset..branch.offset + branch.size,
            "{path}"
        );
        assert_eq!(
            matches!(span, Span::Unpacked { .. }),
            branch.block.is_some(),
            "{path}"
        );
        seen += 1;
    }
    let shown = branch.parts.len() as u64;
    if let (Some(count), Some(stride)) = (branch.count, branch.stride) {
        assert_eq!(count * stride, branch.size, "{path}");
    } else if let Some(count) = branch.count {
        assert_eq!(count, shown + branch.starts.len() as u64, "{path}");
    }
    for (index, start) in (shown..).zip(&branch.starts) {
        let item = walk::parse_path(layout, &format!("{path}[{index}]")).unwrap();
        let span = walk::find(layout, bytes, item.as_slice(), &Default::default()).unwrap();
        assert_eq!(span.range().start, *start, "{path}[{index}]");
        seen += 1;
    }
    seen + branch
        .parts
        .iter()
        .map(|part| check_branch(part, &path, layout, bytes))
        .sum::<usize>()
}

/// Empty lists are written, since viewers iterate over them.
#[test]
fn empty_lists_are_written() {
    let places = serde_json::to_value(MeshFields::default()).unwrap();
    assert_eq!(places, serde_json::json!({ "vertices": [], "faces": [] }));
}
