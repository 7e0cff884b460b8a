//! Reads ASCII STL. Keywords are case-insensitive, and line breaks count as blanks.

use super::Solid;
use crate::interop::shared::positions::Positions;
use crate::interop::shared::text::{Words, first_line_offset, quote};
use crate::scene::Mesh;
use crate::scene::limits::check_triangle_limit;
use crate::{Error, Limit, Limits, Result};

pub(super) fn read(text: &[u8], limits: &Limits) -> Result<Vec<Solid>> {
    let mut words = Words::new(text, first_line_offset(text)..text.len());
    let mut solids = Vec::new();
    while let Some(word) = words.next() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(words.reject(format!("expected `solid`, found {}", quote(word))));
        }
        solids.push(read_solid(&mut words, limits)?);
        // A solid takes hundreds of bytes in memory, but only a few in the file.
        let size = solids.len() * (size_of::<Solid>() + size_of::<Mesh>());
        if size as u64 > limits.max_decoded {
            let (count, limit) = (solids.len(), limits.max_decoded);
            let message = format!("{count} solids take more than the limit of {limit} bytes");
            return Err(Error::limit_exceeded(Limit::Decoded, message).with_span(Some(words.span())));
        }
    }
    Ok(solids)
}

/// Reads a solid after its keyword `solid`.
fn read_solid(words: &mut Words, limits: &Limits) -> Result<Solid> {
    let mut solid = Solid { name: words.rest_of_line().to_vec(), ..Solid::default() };
    let mut positions = Positions::default();
    let mut facets = 0;
    loop {
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case(b"facet") => {
                expect_keywords(words, &["normal"])?;
                solid.normals.push(words.read_f32s("a coordinate of the normal")?);
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
                (solid.positions, solid.exact_positions) = positions.into_parts();
                return Ok(solid);
            }
            Some(word) => {
                return Err(words.reject(format!("expected `facet` or `endsolid`, found {}", quote(word))));
            }
            None => return Err(words.missing_error("`endsolid`")),
        }
    }
}

fn expect_keywords(words: &mut Words, keywords: &[&str]) -> Result<()> {
    for keyword in keywords {
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case(keyword.as_bytes()) => {}
            Some(word) => return Err(words.reject(format!("expected `{keyword}`, found {}", quote(word)))),
            None => return Err(words.missing_error(&format!("`{keyword}`"))),
        }
    }
    Ok(())
}
