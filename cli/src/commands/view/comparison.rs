//! Two files in one page: their differences, and the distances of their models.

use meshspec::scene::Scene;
use serde::Serialize;

use super::content::Content;
use super::distances;
use crate::commands::diff::compare::{File, Rules};
use crate::commands::diff::difference::{Differences, Kind};
use crate::failure::Result;
use crate::model::{Model, Moment};
use crate::surface::{Distances, Surface};

/// The maximum number of differences on a page, after grouping.
const MAX_DIFFERENCES: usize = 500;

/// The differences of two files.
#[derive(Serialize)]
pub struct Comparison {
    /// `values`, `scenes`, or empty if a file cannot be decoded.
    compared: &'static str,
    /// The number of differences before they are grouped.
    total: u64,
    differences: Vec<DifferenceData>,
    /// The largest distance of the models at rest, in metres; `None` without two models.
    largest: Option<f64>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct DifferenceData {
    path: String,
    kind: Kind,
    text: String,
}

impl Comparison {
    /// Compares two files. Adds a note for a file that cannot be decoded.
    pub fn of_files([a, b]: &[File; 2], rules: &Rules) -> Comparison {
        let mut found = Differences::grouped();
        let mut notes = Vec::new();
        let compared = match rules.compare([a, b], &mut found) {
            Ok(Some(_)) => "values",
            Ok(None) => "scenes",
            Err(failure) => {
                notes.push(format!("The files cannot be compared: {}", failure.message()));
                ""
            }
        };
        if found.list.len() > MAX_DIFFERENCES {
            let count = found.list.len();
            notes.push(format!("The first {MAX_DIFFERENCES} of {count} differences are shown"));
        }
        let differences = found.list.iter().take(MAX_DIFFERENCES).map(|difference| DifferenceData {
            path: difference.path.clone(),
            kind: difference.kind,
            text: difference.to_string(),
        });
        Comparison { compared, total: found.total, differences: differences.collect(), largest: None, notes }
    }

    /// Measures the distances of the models from each other, at rest.
    pub fn measure(&mut self, contents: &mut [Content; 2]) {
        let models = contents
            .each_ref()
            .map(|Content { scene, name, .. }| scene.clone().and_then(|scene| at_rest(scene, name).ok()));
        let [Some(a), Some(b)] = models else {
            return self.notes.push("No distances: only files with triangles have a surface".to_owned());
        };
        let measured = [Surface::of(&b).distances(&a), Surface::of(&a).distances(&b)];
        let largest = measured.iter().flat_map(Distances::iter).fold(0.0, f64::max);
        for (content, (model, own)) in contents.iter_mut().zip([a, b].iter().zip(&measured)) {
            content.distances = distances::of_meshes(model, own, largest);
        }
        self.largest = Some(largest);
    }
}

fn at_rest(mut scene: Scene, name: &str) -> Result<Model> {
    // The rest pose exists in every scene.
    let _ = Moment::default().apply(&mut scene);
    Model::new(scene, name)
}
