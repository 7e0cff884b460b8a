//! Reads ASCII STL. Keywords are case-insensitive, and line breaks count as blanks.

use super::Solid;
use crate::interop::shared::meshes::check_mesh_count;
use crate::interop::shared::positions::Positions;
use crate::interop::shared::text::{Words, first_line_offset, quote};
use crate::scene::limits::check_triangle_limit;
use crate::{Category, Limits, Loss, Result};

/// Reads the solids. Accepts a solid without `endsolid`, as most programs do, and lists it.
pub(super) fn read(text: &[u8], limits: &Limits, losses: &mut Vec<Loss>) -> Result<Vec<Solid>> {
    let mut words = Words::new(text, first_line_offset(text)..text.len());
    let mut solids = Vec::new();
    while let Some(word) = words.next() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(words.reject(format!("expected `solid`, found {}", quote(word))));
        }
        let (solid, is_ended) = read_solid(&mut words, limits)?;
        if !is_ended {
            let path = format!("meshes[{}]", solids.len());
            let message = "`endsolid` is missing; facets may be missing, too";
            losses.push(Loss::changed(path, message).in_category(Category::Geometry));
        }
        solids.push(solid);
        check_mesh_count(solids.len(), size_of::<Solid>(), limits)
            .map_err(|error| error.with_span(Some(words.span())))?;
    }
    Ok(solids)
}

/// Reads a solid after its keyword `solid`. Returns the solid, and whether it ends in `endsolid`.
fn read_solid(words: &mut Words, limits: &Limits) -> Result<(Solid, bool)> {
    let mut solid = Solid {
        name: words.rest_of_line().to_vec(),
        ..Solid::default()
    };
    let mut positions = Positions::default();
    let mut facets = 0;
    let is_ended = loop {
        let before = words.clone();
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case(b"facet") => {
                expect_keywords(words, &["normal"])?;
                solid
                    .normals
                    .push(words.read_f32s("a coordinate of the normal")?);
                expect_keywords(words, &["outer", "loop"])?;
                for _ in 0..3 {
                    expect_keywords(words, &["vertex"])?;
                    positions.push(words.read_f64s("a coordinate of the vertex")?);
                }
                expect_keywords(words, &["endloop", "endfacet"])?;
                facets += 1;
                check_triangle_limit(facets, limits.max_triangles)?;
                if solid.normals.len().is_power_of_two() {
                    positions.drop_unneeded();
                }
            }
            Some(word) if word.eq_ignore_ascii_case(b"endsolid") => {
                words.rest_of_line();
                break true;
            }
            Some(word) if word.eq_ignore_ascii_case(b"solid") && facets > 0 => {
                *words = before;
                break false;
            }
            None if facets > 0 => break false,
            Some(word) => {
                return Err(words.reject(format!(
                    "expected `facet` or `endsolid`, found {}",
                    quote(word)
                )));
            }
            None => return Err(words.missing_error("`endsolid`")),
        }
    };
    (solid.positions, solid.exact_positions) = positions.into_parts();
    Ok((solid, is_ended))
}

fn expect_keywords(words: &mut Words, keywords: &[&str]) -> Result<()> {
    for keyword in keywords {
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case(keyword.as_bytes()) => {}
            Some(word) => {
                return Err(words.reject(format!("expected `{keyword}`, found {}", quote(word))));
            }
            None => return Err(words.missing_error(&format!("`{keyword}`"))),
        }
    }
    Ok(())
}
