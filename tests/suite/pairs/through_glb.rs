//! Converts every valid file to GLB and back to its own format. The losses must explain the differences after each of
//! the two conversions.

use std::collections::BTreeMap;

use meshspec::interop::Interchange;
use meshspec::scene::{Scene, SceneOptions};
use meshspec::{ErrorKind, Loss};
use proptest::test_runner::TestCaseError;

use super::{assert_explained, convert_and_compare, with_names_of_joints};
use crate::common::File;

/// Converts a scene to GLB and back. Also returns the losses. `None` if a position is not finite.
pub fn write_and_read_glb(scene: &Scene) -> Option<(Scene, Vec<Loss>)> {
    let options = SceneOptions::default();
    let mut files = BTreeMap::new();
    let mut losses: Vec<Loss> =
        match Interchange::Glb.write(scene.clone(), "x.glb", &mut files, &options) {
            Ok(losses) => losses,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Inexpressible, "{error}");
                assert!(error.path().to_string().contains(".positions["), "{error}");
                return None;
            }
        };
    let bytes = &files["x.glb"];
    let (found, more) = Interchange::Glb
        .read(bytes, &files, &options, &Default::default())
        .unwrap();
    losses.extend(more);
    Some((found, losses))
}

/// Converts a scene to GLB and back, and asserts that the losses explain the differences. Returns the new scene;
/// `None` if a position is not finite.
fn through_glb(scene: Scene) -> Result<Option<Scene>, TestCaseError> {
    let scene = with_names_of_joints(scene);
    let Some((found, losses)) = write_and_read_glb(&scene) else {
        return Ok(None);
    };
    assert_explained(scene, &found, None, &losses).map_err(|why| {
        TestCaseError::fail(format!(
            "glb: {why}\n{:#?}",
            &losses[..losses.len().min(20)]
        ))
    })?;
    Ok(Some(found))
}

of_files!(every_file_round_trips_through_glb);

fn every_file_round_trips_through_glb(files: Vec<File>) {
    let (mut wrong, mut back, mut rejected) = (Vec::new(), 0, 0);
    for (index, (format, bytes)) in files.into_iter().enumerate() {
        let document = format.read(&bytes, &Default::default()).unwrap();
        let dialect = document.dialect();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let outcome = through_glb(scene).and_then(|found| match found {
            Some(found) => Ok(Some(
                convert_and_compare(found, (format, dialect))?.is_some(),
            )),
            None => Ok(None),
        });
        match outcome {
            Ok(Some(true)) => back += 1,
            Ok(Some(false)) => wrong.push(format!(
                "{format}, file {index}: it cannot be written again"
            )),
            Ok(None) => rejected += 1,
            Err(why) => wrong.push(format!("{format}, file {index}: {why}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {back}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{back} files, and {rejected} with positions that are not finite");
    assert!(back > 20 * rejected, "{back} files, {rejected} rejected");
}
