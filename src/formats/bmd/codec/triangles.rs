//! Faces in bulk: from packed words to triangles, or to triangles and quads.
//!
//! The places of the bits come from the declaration; a test compares the result with the declared getters.

use super::super::document::{Face, Faces};
use super::super::schema::{FaceTag, Quad32, Quad64, Triangle32, Triangle64};
use super::columns::{bits, run_of};

impl Faces {
    /// The faces as triangles, in order: a quad (0, 1, 2, 3) becomes (0, 1, 2) and (0, 2, 3).
    ///
    /// ```
    /// use meshspec::bmd::{Face, Faces};
    ///
    /// let faces = Faces::encode(&[Face::Quad([0, 1, 2, 3]), Face::Triangle([1, 0, 4])])?;
    /// assert_eq!(faces.triangles(), [[0, 1, 2], [0, 2, 3], [1, 0, 4]]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        // Enough for quads alone; what is not used is given back.
        let mut triangles = Vec::with_capacity(2 * self.len());
        self.runs(|run| match run {
            Run::Triangles32([face]) => triangles.push(triangle_32(face)),
            Run::Triangles64([face]) => triangles.push(triangle_64(face)),
            Run::Triangles32(run) => triangles.extend(run.iter().map(triangle_32)),
            Run::Triangles64(run) => triangles.extend(run.iter().map(triangle_64)),
            Run::Quads32(run) => run.iter().for_each(|f| triangles.extend_from_slice(&split(quad_32(f)))),
            Run::Quads64(run) => run.iter().for_each(|f| triangles.extend_from_slice(&split(quad_64(f)))),
        });
        triangles.shrink_to_fit();
        triangles
    }

    /// The vertices of each face, as [`iter`](Faces::iter) has them, in bulk.
    pub fn to_vec(&self) -> Vec<Face> {
        let mut faces = Vec::with_capacity(self.len());
        self.runs(|run| match run {
            Run::Triangles32(run) => faces.extend(run.iter().map(|face| Face::Triangle(triangle_32(face)))),
            Run::Triangles64(run) => faces.extend(run.iter().map(|face| Face::Triangle(triangle_64(face)))),
            Run::Quads32(run) => faces.extend(run.iter().map(|face| Face::Quad(quad_32(face)))),
            Run::Quads64(run) => faces.extend(run.iter().map(|face| Face::Quad(quad_64(face)))),
        });
        faces
    }

    /// Shows faces of one form in a row to `see`, until all have been seen.
    #[inline(always)]
    fn runs<'a>(&'a self, mut see: impl FnMut(Run<'a>)) {
        let mut rest = self.words();
        while let Some(first) = rest.first() {
            let tag = tag_of(*first);
            let narrow = || run_of::<1>(rest, |face| tag_of(face[0]) == tag);
            let wide = || run_of::<2>(rest, |face| tag_of(face[0]) == tag);
            let run = match tag {
                0 => Run::Triangles32(narrow()),
                1 => Run::Quads32(narrow()),
                2 => Run::Triangles64(wide()),
                _ => Run::Quads64(wide()),
            };
            rest = &rest[run.words()..];
            see(run);
        }
    }
}

/// Faces of one form, as their words.
enum Run<'a> {
    Triangles32(&'a [[u32; 1]]),
    Quads32(&'a [[u32; 1]]),
    Triangles64(&'a [[u32; 2]]),
    Quads64(&'a [[u32; 2]]),
}

impl Run<'_> {
    fn words(&self) -> usize {
        match self {
            Run::Triangles32(run) | Run::Quads32(run) => run.len(),
            Run::Triangles64(run) | Run::Quads64(run) => 2 * run.len(),
        }
    }
}

#[inline(always)]
fn tag_of(first: u32) -> u32 {
    bits(FaceTag::TAG, &[first])
}

#[inline(always)]
fn triangle_32(word: &[u32; 1]) -> [u32; 3] {
    [bits(Triangle32::V0, word), bits(Triangle32::V1, word), bits(Triangle32::V2, word)]
}

#[inline(always)]
fn triangle_64(words: &[u32; 2]) -> [u32; 3] {
    [bits(Triangle64::V0, words), bits(Triangle64::V1, words), bits(Triangle64::V2, words)]
}

#[inline(always)]
fn quad_32(word: &[u32; 1]) -> [u32; 4] {
    [bits(Quad32::V0, word), bits(Quad32::V1, word), bits(Quad32::V2, word), bits(Quad32::V3, word)]
}

#[inline(always)]
fn quad_64(words: &[u32; 2]) -> [u32; 4] {
    [bits(Quad64::V0, words), bits(Quad64::V1, words), bits(Quad64::V2, words), bits(Quad64::V3, words)]
}

#[inline(always)]
fn split([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    [[a, b, c], [a, c, d]]
}
