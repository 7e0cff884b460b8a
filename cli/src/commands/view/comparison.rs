//! Compares two files for a page: their differences, and the distances between their models.

use meshspec::scene::{Distances, Model, Scene, Surface};
use serde::Serialize;

use super::content::FileContent;
use super::distances;
use crate::commands::diff::compare::{ComparedFile, ComparisonOptions};
use crate::commands::diff::difference::{DifferenceKind, Differences};
use crate::pose_selection::PoseSelection;

/// The maximum number of differences on a page, after grouping.
const MAX_DIFFERENCES: usize = 500;

/// The comparison of two files, as data for the script of the page.
#[derive(Serialize)]
pub struct Comparison {
    /// `values`, `scenes`, or empty if a file cannot be decoded.
    compared: &'static str,
    /// The number of differences before they are grouped.
    total: u64,
    differences: Vec<DifferenceData>,
    /// The largest distance between the models in the rest pose, in metres; `None` unless both have triangles.
    largest: Option<f64>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct DifferenceData {
    path: String,
    kind: DifferenceKind,
    text: String,
}

impl Comparison {
    /// Compares two files. If one cannot be decoded, the comparison contains a note instead of differences.
    pub fn of_files([a, b]: &[ComparedFile; 2], options: &ComparisonOptions) -> Comparison {
        let mut found = Differences::grouped();
        let mut notes = Vec::new();
        let compared = match options.compare([a, b], &mut found) {
            Ok(Some(_)) => "values",
            Ok(None) => "scenes",
            Err(failure) => {
                notes.push(format!(
                    "The files cannot be compared: {}",
                    failure.message()
                ));
                ""
            }
        };
        if found.list.len() > MAX_DIFFERENCES {
            let count = found.list.len();
            notes.push(format!(
                "The first {MAX_DIFFERENCES} of {count} differences are shown"
            ));
        }
        let differences =
            found
                .list
                .iter()
                .take(MAX_DIFFERENCES)
                .map(|difference| DifferenceData {
                    path: difference.path.clone(),
                    kind: difference.kind,
                    text: difference.to_string(),
                });
        Comparison {
            compared,
            total: found.total,
            differences: differences.collect(),
            largest: None,
            notes,
        }
    }

    /// Measures the distances between the models of two files in the rest pose, and adds them to `contents`.
    pub fn measure(&mut self, contents: &mut [FileContent; 2]) {
        let models = contents
            .each_ref()
            .map(|FileContent { scene, .. }| scene.clone().and_then(model_at_rest));
        let [Some(a), Some(b)] = models else {
            return self
                .notes
                .push("No distances: only files with triangles have a surface".to_owned());
        };
        let measured = [
            Surface::new(&b).distances(&a),
            Surface::new(&a).distances(&b),
        ];
        let largest = measured
            .iter()
            .flat_map(Distances::iter)
            .fold(0.0, f64::max);
        for (content, (model, distances)) in contents.iter_mut().zip([a, b].iter().zip(&measured)) {
            content.distances = distances::by_mesh(model, distances, largest);
        }
        self.largest = Some(largest);
    }
}

/// Returns the model of a scene in the rest pose; `None` without triangles.
fn model_at_rest(mut scene: Scene) -> Option<Model> {
    // The rest pose exists in every scene.
    let _ = PoseSelection::default().apply(&mut scene);
    Model::new(scene).ok()
}
