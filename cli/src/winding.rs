//! Detects meshes that are inside out.
//!
//! Front faces of scenes are counter-clockwise; reading applies the winding of each format. An inverted winding is valid
//! in all formats, but makes surfaces invisible or black.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use glam::{BVec3, DVec3};
use meshspec::scene::{Mesh, Placement, Scene};

/// The size in bytes of the largest file of a game format that is examined although the command needs no scene: a large
/// file would take several times as long.
pub const MAX_EXAMINED_SIZE: usize = 16 << 20;

/// The largest number of faces per mesh whose normals are examined, evenly spread: enough to tell a majority, at the
/// same cost for a mesh of any size.
const MAX_FACES: usize = 4096;

/// The fraction of faces that must oppose their normals. In foliage, whose normals do not follow its faces, about half
/// of the faces oppose them; in an inverted mesh, all but those at sharp edges.
const MIN_OPPOSING: f64 = 2.0 / 3.0;

/// The cosine between the normal of a face and the mean normal of its corners up to which they oppose: 120°. Smooth
/// normals turn a mean by up to 60°, if the corners belong to both sides of a thin part.
const MAX_COSINE: f64 = -0.5;

/// The least volume of a solid, as a fraction of the cube of its size. Sums of 64-bit numbers are exact to about 1e-14;
/// below, a closed surface is flat, and has no inside.
const MIN_VOLUME: f64 = 1e-9;

/// The largest number of meshes that a warning names.
const MAX_NAMES: usize = 5;

/// Returns a warning about the meshes of a scene that oppose their normals, and one about the meshes that are closed and
/// have a negative volume. The latter omits meshes that are to be seen from within: a room or sky with another mesh in
/// it, and the wall of a cavity. The same applies to the parts of a mesh.
pub fn warnings(scene: &Scene) -> Vec<String> {
    let solids: Vec<_> = scene.meshes.iter().map(Solid::of).collect();
    let nesting = Nesting::of(&solids);
    let (mut opposing, mut negative) = (Vec::new(), Vec::new());
    for (index, (mesh, solid)) in scene.meshes.iter().zip(&solids).enumerate() {
        if opposes_normals(mesh) {
            opposing.push(index);
        } else if nesting.is_inside_out(solid) && is_closed(mesh) && has_inverted_part(mesh) {
            negative.push(index);
        }
    }
    let of_kind = |meshes: &[usize], reason: &str| {
        let named = meshes
            .iter()
            .take(MAX_NAMES)
            .map(|index| match &*scene.meshes[*index].name {
                "" => format!("meshes[{index}]"),
                name => format!("meshes[{index}] \"{name}\""),
            });
        let named: Vec<_> = named.collect();
        let more = match meshes.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!meshes.is_empty()).then(|| format!("inside out: {reason}: {}{more}", named.join(", ")))
    };
    let opposing = of_kind(&opposing, "the winding of most faces opposes their normals");
    let negative = of_kind(
        &negative,
        "the surface is closed, but its volume is negative",
    );
    opposing.into_iter().chain(negative).collect()
}

/// The volume that a mesh encloses, and the bounding box of its instances.
struct Solid {
    /// The signed volume; 0 if it is below [`MIN_VOLUME`], or the mesh has no finite size. Meaningful only for a closed
    /// mesh.
    volume: f64,
    bounds: Bounds,
}

impl Solid {
    fn of(mesh: &Mesh) -> Solid {
        let points = mesh.positions.iter().map(|position| to_point(*position));
        let bounds = Bounds::of(points);
        let Bounds { min, max } = bounds;
        let center = (min + max) / 2.0;
        let mut sum = 0.0;
        mesh.faces
            .for_each_triangle(mesh.positions.len(), |corners| {
                let [a, b, c] = corners.map(|corner| position(mesh, corner) - center);
                sum += a.dot(b.cross(c));
            });
        let volume = visible_volume(sum, &bounds);
        if mesh.placements.is_empty() {
            return Solid { volume, bounds };
        }
        let corners = (0..8).map(|corner| {
            DVec3::select(
                BVec3::new(corner & 1 == 0, corner & 2 == 0, corner & 4 == 0),
                min,
                max,
            )
        });
        let instances = mesh.placements.iter().flat_map(Placement::transforms);
        let bounds = Bounds::of(instances.flat_map(|transform| {
            corners
                .clone()
                .map(move |corner| transform.transform_point3(corner))
        }));
        Solid { volume, bounds }
    }
}

/// Returns a sixth of `sum`; 0 if it is below [`MIN_VOLUME`], or the bounds are not finite.
fn visible_volume(sum: f64, bounds: &Bounds) -> f64 {
    let volume = sum / 6.0;
    let least = MIN_VOLUME * (bounds.max - bounds.min).length().powi(3);
    if volume.is_finite() && volume.abs() > least {
        volume
    } else {
        0.0
    }
}

/// Returns `true` if a connected part of a closed mesh is inside out.
fn has_inverted_part(mesh: &Mesh) -> bool {
    let parts = connected_parts(mesh);
    let nesting = Nesting::of(&parts);
    parts.iter().any(|part| nesting.is_inside_out(part))
}

/// The bounding boxes of solids, for the question which of them are in which.
struct Nesting {
    all: Option<BoxTree>,
    /// Those of positive volume.
    positive: Option<BoxTree>,
}

impl Nesting {
    fn of(solids: &[Solid]) -> Nesting {
        let positive = solids.iter().filter(|solid| solid.volume > 0.0);
        Nesting {
            all: BoxTree::of(solids.iter().map(|solid| solid.bounds)),
            positive: BoxTree::of(positive.map(|solid| solid.bounds)),
        }
    }

    /// Returns `true` if a closed solid has a negative volume, encloses no other one, as a room does, and is in none of
    /// positive volume, as the wall of a cavity is.
    fn is_inside_out(&self, solid: &Solid) -> bool {
        solid.volume < 0.0
            && !self
                .all
                .as_ref()
                .is_some_and(|tree| tree.has_box_inside(&solid.bounds))
            && !self
                .positive
                .as_ref()
                .is_some_and(|tree| tree.has_box_around(&solid.bounds))
    }
}

/// Returns the parts of a closed mesh that share no position.
fn connected_parts(mesh: &Mesh) -> Vec<Solid> {
    let mut first_at = HashMap::new();
    let mut parts = DisjointSets {
        parents: mesh
            .positions
            .iter()
            .enumerate()
            .map(|(vertex, position)| *first_at.entry(hash_position(*position)).or_insert(vertex))
            .collect(),
    };
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |[a, b, c]| {
            parts.join(a as usize, b as usize);
            parts.join(b as usize, c as usize);
        });
    let mut sums: BTreeMap<usize, (f64, Bounds)> = BTreeMap::new();
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |corners| {
            let root = parts.root_of(corners[0] as usize);
            let points = corners.map(|corner| position(mesh, corner));
            let (sum, bounds) = sums
                .entry(root)
                .or_insert_with(|| (0.0, Bounds::of(points.into_iter())));
            *bounds = Bounds::of(points.into_iter().chain([bounds.min, bounds.max]));
            let [a, b, c] = points.map(|point| point - position(mesh, root as u32));
            *sum += a.dot(b.cross(c));
        });
    sums.into_values()
        .map(|(sum, bounds)| Solid {
            volume: visible_volume(sum, &bounds),
            bounds,
        })
        .collect()
}

/// Sets of vertices, as a forest.
struct DisjointSets {
    /// A vertex of the same set, not above the vertex; the vertex itself if it is the root.
    parents: Vec<usize>,
}

impl DisjointSets {
    /// Returns the root of a vertex, and halves the path to it.
    fn root_of(&mut self, mut vertex: usize) -> usize {
        while let Some(parent) = self
            .parents
            .get(vertex)
            .copied()
            .filter(|parent| *parent != vertex)
        {
            let above = self.parents[parent];
            self.parents[vertex] = above;
            vertex = above;
        }
        vertex
    }

    /// Joins the sets of two vertices. Ignores missing vertices.
    fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|vertex| self.root_of(vertex));
        if let Some(parent) = self.parents.get_mut(a.max(b)) {
            *parent = a.min(b);
        }
    }
}

/// An axis-aligned bounding box.
#[derive(Clone, Copy)]
struct Bounds {
    min: DVec3,
    max: DVec3,
}

impl Bounds {
    fn of(points: impl Iterator<Item = DVec3>) -> Bounds {
        let empty = Bounds {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        };
        points.fold(empty, |Bounds { min, max }, point| Bounds {
            min: min.min(point),
            max: max.max(point),
        })
    }

    fn encloses(&self, inner: &Bounds) -> bool {
        self.min.cmplt(inner.min).all() && self.max.cmpgt(inner.max).all()
    }
}

/// A tree of bounding boxes, so that a search need not compare all of them.
struct BoxTree {
    /// The smallest coordinates of the minima and the largest of the maxima: the bounding box of all.
    outermost: Bounds,
    /// The largest coordinates of the minima and the smallest of the maxima.
    innermost: Bounds,
    halves: Option<Box<[BoxTree; 2]>>,
}

impl BoxTree {
    /// Returns the tree of the boxes that are not empty; `None` without such a box.
    fn of(boxes: impl Iterator<Item = Bounds>) -> Option<BoxTree> {
        BoxTree::build(
            &mut boxes
                .filter(|bounds| bounds.min.cmple(bounds.max).all())
                .collect::<Vec<_>>(),
        )
    }

    /// Divides the boxes at the median of their centres, along the longest side of all.
    fn build(boxes: &mut [Bounds]) -> Option<BoxTree> {
        let first = *boxes.first()?;
        let mut tree = BoxTree {
            outermost: first,
            innermost: first,
            halves: None,
        };
        for Bounds { min, max } in boxes.iter() {
            let BoxTree {
                outermost,
                innermost,
                ..
            } = &mut tree;
            *outermost = Bounds {
                min: outermost.min.min(*min),
                max: outermost.max.max(*max),
            };
            *innermost = Bounds {
                min: innermost.min.max(*min),
                max: innermost.max.min(*max),
            };
        }
        if boxes.len() > 1 {
            let axis = (tree.outermost.max - tree.outermost.min).max_position();
            let middle = boxes.len() / 2;
            let double_center = |bounds: &Bounds| bounds.min[axis] + bounds.max[axis];
            boxes.select_nth_unstable_by(middle, |a, b| {
                double_center(a).total_cmp(&double_center(b))
            });
            let (left, right) = boxes.split_at_mut(middle);
            let halves = BoxTree::build(left).zip(BoxTree::build(right));
            tree.halves = halves.map(|(left, right)| Box::new([left, right]));
        }
        Some(tree)
    }

    /// Returns `true` if a box lies strictly inside `outer`.
    fn has_box_inside(&self, outer: &Bounds) -> bool {
        let halves = self.halves.as_ref();
        outer.encloses(&self.innermost)
            && halves.is_none_or(|halves| halves.iter().any(|half| half.has_box_inside(outer)))
    }

    /// Returns `true` if a box strictly encloses `inner`.
    fn has_box_around(&self, inner: &Bounds) -> bool {
        let halves = self.halves.as_ref();
        self.outermost.encloses(inner)
            && halves.is_none_or(|halves| halves.iter().any(|half| half.has_box_around(inner)))
    }
}

/// Returns `true` if the winding of most faces opposes the normals of their corners.
fn opposes_normals(mesh: &Mesh) -> bool {
    let Some(normals) = &mesh.normals else {
        return false;
    };
    let (mut examined, mut opposing) = (0_usize, 0_usize);
    for face in sampled_faces(mesh) {
        let corners: Vec<u32> = face
            .filter_map(|corner| corner_index(mesh, corner))
            .collect();
        let Some((first, others)) = corners.split_first() else {
            continue;
        };
        let first = position(mesh, *first);
        let normal: DVec3 = others
            .windows(2)
            .map(|pair| (position(mesh, pair[0]) - first).cross(position(mesh, pair[1]) - first))
            .sum();
        let mean: DVec3 = corners
            .iter()
            .filter_map(|corner| normals.get(*corner as usize))
            .map(|normal| to_point(*normal))
            .sum();
        // Not a number for degenerate faces and invalid normals.
        let cosine = normal.dot(mean) / (normal.length() * mean.length());
        examined += usize::from(!cosine.is_nan());
        opposing += usize::from(cosine <= MAX_COSINE);
    }
    opposing > 0 && opposing as f64 >= MIN_OPPOSING * examined as f64
}

/// Returns the positions of the corners of at most [`MAX_FACES`] faces, evenly spread.
fn sampled_faces(mesh: &Mesh) -> Vec<Range<usize>> {
    match &mesh.faces.corners {
        Some(counts) => {
            let mut end = 0;
            let faces = counts.iter().map(|count| {
                let start = end;
                end += *count as usize;
                start..end
            });
            faces
                .step_by(counts.len().div_ceil(MAX_FACES).max(1))
                .collect()
        }
        None => {
            let count = mesh.faces.corner_count(mesh.positions.len()) / 3;
            let faces = (0..count).step_by(count.div_ceil(MAX_FACES).max(1));
            faces.map(|face| 3 * face..3 * face + 3).collect()
        }
    }
}

fn corner_index(mesh: &Mesh, corner: usize) -> Option<u32> {
    match &mesh.faces.indices {
        Some(indices) => indices.get(corner),
        None => Some(corner as u32),
    }
}

/// Returns `true` if each edge of the surface has two faces of opposite direction, so that its volume does not depend on
/// the origin. Compares positions, since corners at the same position need not share a vertex.
///
/// Instead of a table of edges, adds up a hash of each edge, and subtracts that of the reverse edge. In a closed surface
/// the sum is 0; in others with a probability of 1 in 2^64.
fn is_closed(mesh: &Mesh) -> bool {
    let hashes: Vec<u64> = mesh
        .positions
        .iter()
        .map(|position| hash_position(*position))
        .collect();
    let mut sum = 0_u64;
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |corners| {
            let [a, b, c] =
                corners.map(|corner| hashes.get(corner as usize).copied().unwrap_or_default());
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sum = sum
                    .wrapping_add(hash_edge(from, to))
                    .wrapping_sub(hash_edge(to, from));
            }
        });
    sum == 0
}

fn hash_position(position: [f32; 3]) -> u64 {
    // Adding 0 makes −0 equal to 0.
    position.iter().fold(0, |hash, coordinate| {
        mix(hash ^ u64::from((coordinate + 0.0).to_bits()))
    })
}

fn hash_edge(from: u64, to: u64) -> u64 {
    mix(mix(from).wrapping_add(to))
}

/// The finaliser of SplitMix64, by Sebastiano Vigna.
fn mix(mut hash: u64) -> u64 {
    hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn position(mesh: &Mesh, vertex: u32) -> DVec3 {
    mesh.positions
        .get(vertex as usize)
        .map_or(DVec3::NAN, |position| to_point(*position))
}

fn to_point(coordinates: [f32; 3]) -> DVec3 {
    DVec3::from(coordinates.map(f64::from))
}
