//! Files of any format, read as scenes.

use std::path::Path;

use meshspec::Formats;
use meshspec::scene::{Scene, SceneOptions};

use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, Beside, name_of};
use crate::json;
use crate::reading::{Bounds, Reading};

/// Reads a file as a scene, with the transforms of nodes applied to the vertices.
pub fn read(path: &Path, reading: &Reading, bounds: &Bounds, formats: &Formats) -> Result<Scene> {
    let bytes = input::read(path)?;
    let encoding = reading.encoding_of(&bytes, path, formats)?;
    of_bytes(&bytes, encoding, path, reading, bounds, formats)
}

/// Reads these bytes of a file as a scene.
pub fn of_bytes(
    bytes: &[u8],
    encoding: Encoding,
    path: &Path,
    reading: &Reading,
    bounds: &Bounds,
    formats: &Formats,
) -> Result<Scene> {
    let place = name_of(path);
    let options = SceneOptions::default().with_strictness(reading.strictness()).with_bake(true);
    let fail = |error: meshspec::Error| Failure::in_file(&place, &error, bytes);
    match encoding {
        Encoding::Format(format) => {
            let options = options.with_conventions(encoding::require_scenes(format, &place)?);
            let read = format.read_scene(bytes, &reading.options(encoding, bytes), &options);
            read.map(|(scene, _)| scene).map_err(fail)
        }
        Encoding::Json if json::format_among(bytes, formats).is_ok_and(|own| own.built_in().is_none()) => {
            let (format, file) =
                json::file_of(bytes, formats).map_err(|error| Failure::invalid(&place, error))?;
            of_bytes(&file, Encoding::Format(format), path, reading, bounds, formats)
        }
        Encoding::Json => {
            let document = json::read_document(bytes).map_err(|error| Failure::invalid(&place, error))?;
            match document.check().first_refused(reading.strictness()) {
                Some(finding) => Err(Failure::invalid(&place, finding)),
                None => {
                    let options = options.with_conventions(document.format().conventions());
                    document.into_scene(&options).map(|(scene, _)| scene).map_err(fail)
                }
            }
        }
        Encoding::Interchange(format) => {
            let limits = bounds.limits();
            let options = options.with_max_triangles(limits.max_triangles);
            let options = options.with_conventions(format.conventions());
            let read = format.read(bytes, &Beside::new(path), &options, &limits);
            read.map(|(scene, _)| scene).map_err(fail)
        }
    }
}
