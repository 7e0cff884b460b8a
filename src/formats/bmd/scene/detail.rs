//! Adds bones near fine detail that packing would flatten: packed numbers lose precision away from a bone.
//!
//! The vertices of flattened triangles are divided, joint by joint, into ever smaller boxes, called regions. A bone at the
//! centre of a region preserves most triangles in it. Each bone has a price, in triangles. The chosen regions minimise the
//! number of flattened triangles plus the price of all bones, as in cost-complexity pruning of decision trees. The price
//! rises until the skeleton has room for all bones, so the bones that preserve the most triangles are added.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use glam::{Mat3, Mat4, Vec3};

use super::super::Triple;
use super::anchors::{dominant_joint, model_to_joint, rebind_vertices};
use super::precision::{self, Encoding, ErrorLimits};
use super::pseudo::is_part;
use super::{faces, rig};
use crate::Loss;
use crate::scene::{Extras, Joint, Scene, Transform, push_index};

/// The lowest price of a bone: the number of triangles of a tetrahedron, the smallest solid part. Every bone costs a
/// matrix per frame.
const MIN_PRESERVED: usize = 4;

/// Maximum number of regions: about 16 per possible bone, which bounds the time.
const MAX_REGIONS: usize = 4096;

/// Maximum number of times that a region is halved. Each time, its longest side is halved.
const MAX_DEPTH: u32 = 16;

/// Maximum number of bones from a joint to a region. Each is 256 times nearer than the one before, since a translation has
/// a precision of 1/256.
const MAX_CHAIN_LENGTH: usize = 3;

/// Differences up to this multiple of the coordinate are rounding errors of transforms, not of packing: positions read
/// from BMD are exact.
const ROUNDING: f32 = 8.0 * f32::EPSILON;

/// Adds bones near flattened triangles, and binds their vertices to these bones.
pub fn add_bones(
    scene: &mut Scene,
    extras: &[Extras],
    encoding: &Encoding,
    losses: &mut Vec<Loss>,
) {
    // The model itself may need one more bone: bone 0.
    let room = rig::MAX_BONES.saturating_sub(scene.skeleton.joints.len() + 1);
    if room == 0 || !encoding.is_default() {
        return;
    }
    let detail = Detail::new(scene, extras, encoding);
    let regions = Regions::divide(detail);
    let chosen = regions.choose(room);
    if chosen.is_empty() {
        return;
    }
    let first = scene.skeleton.joints.len();
    let mut targets: Vec<HashMap<usize, usize>> = vec![HashMap::new(); scene.meshes.len()];
    for choice in chosen {
        let Region {
            group,
            vertices,
            chain,
            ..
        } = &regions.regions[choice.region];
        let joint = regions.detail.groups[*group].joint;
        let to_joint = model_to_joint(scene, joint);
        let members = &regions.vertices[vertices.clone()];
        let mesh_name = members
            .first()
            .map(|vertex| {
                scene.meshes[regions.detail.vertices[*vertex].mesh]
                    .name
                    .clone()
            })
            .unwrap_or_default();
        let mut parent = joint;
        let mut origin = Vec3::ZERO;
        for offset in chain.iter().take(choice.bones) {
            origin += *offset;
            let bone = Joint {
                name: mesh_name.clone(),
                parent,
                inverse_bind: Mat4::from_translation(-origin) * to_joint,
                rest: Some(Transform {
                    translation: (*offset).into(),
                    ..Transform::default()
                }),
                ..Joint::default()
            };
            parent = Some(push_index(&mut scene.skeleton.joints, bone));
        }
        if let Some(bone) = parent {
            for vertex in members {
                let DetailVertex { mesh, index, .. } = regions.detail.vertices[*vertex];
                targets[mesh].insert(index, bone);
            }
        }
    }
    for (mesh, targets) in scene
        .meshes
        .iter_mut()
        .zip(targets)
        .filter(|(_, targets)| !targets.is_empty())
    {
        let dominant: Vec<_> = (0..mesh.positions.len())
            .map(|vertex| dominant_joint(mesh, vertex))
            .collect();
        rebind_vertices(mesh, &dominant, |vertex| targets.get(&vertex).copied());
    }
    let message = "bones were added near fine detail that packing would flatten";
    let added = scene.skeleton.joints.len() - first;
    losses.push(Loss::changed("skeleton.joints", message).with_count(added, "bones"));
}

/// The flattened triangles of a scene, and what they touch.
struct Detail<'a> {
    encoding: &'a Encoding,
    groups: Vec<JointSpace>,
    vertices: Vec<DetailVertex>,
    triangles: Vec<DetailTriangle>,
}

/// The space of a joint to which vertices are bound.
struct JointSpace {
    /// `None` for the model itself.
    joint: Option<usize>,
    to_joint: Mat4,
    to_model: Mat4,
    /// Whether the joint is a part of a pseudo-bone, to which no bone can be added.
    is_part: bool,
    /// Whether lengths are equal in both spaces.
    is_rigid: bool,
}

/// The largest deviation of a rigid matrix, far below the difference between √3 / 4 and 1 / 2.
const RIGID_TOLERANCE: f32 = 1e-3;

/// Returns `true` if a matrix preserves lengths.
fn is_rigid(matrix: Mat4) -> bool {
    let linear = Mat3::from_mat4(matrix);
    (linear.transpose() * linear).abs_diff_eq(Mat3::IDENTITY, RIGID_TOLERANCE)
}

struct DetailVertex {
    mesh: usize,
    /// The index in the mesh.
    index: usize,
    group: usize,
    /// The position in model space.
    position: Vec3,
    /// The position in the space of the joint.
    at: Vec3,
    /// The maximum coordinate error.
    limit: f32,
    /// The position in model space if no bone is added.
    packed: Vec3,
    /// Whether the vertex is a corner of a flattened triangle.
    is_flattened: bool,
}

struct DetailTriangle {
    /// The corners, as indices of vertices.
    corners: [usize; 3],
    /// The first corner of a flattened triangle. Its region counts the triangle.
    owner: usize,
    /// Whether the triangle is flattened if no bone is added.
    is_flattened: bool,
}

impl<'a> Detail<'a> {
    fn new(scene: &Scene, extras: &[Extras], encoding: &'a Encoding) -> Detail<'a> {
        let base_joint = rig::base_joint(scene);
        let mut group_indices = HashMap::new();
        let mut detail = Detail {
            encoding,
            groups: Vec::new(),
            vertices: Vec::new(),
            triangles: Vec::new(),
        };
        for (mesh_index, mesh) in scene.meshes.iter().enumerate() {
            let size = mesh.size();
            let face_list = faces::from_faces(&mesh.faces);
            let ErrorLimits {
                limits,
                has_slivers,
            } = precision::first_error_limits(&mesh.positions, &face_list, size);
            let first = detail.vertices.len();
            // Most meshes need no bones: their triangles are larger than any error. A triangle is flattened only if a corner
            // moves by half of its smallest height. The limit of a coordinate is a quarter, so that a corner moves by at
            // most √3 / 4.
            let mut is_safe = !has_slivers;
            for (index, (position, limit)) in mesh.positions.iter().zip(limits).enumerate() {
                let joint = dominant_joint(mesh, index).or(base_joint);
                let group = *group_indices.entry(joint).or_insert_with(|| {
                    let to_joint = model_to_joint(scene, joint);
                    let is_part = joint
                        .and_then(|joint| extras.get(joint))
                        .is_some_and(is_part);
                    let to_model = to_joint.inverse();
                    push_index(
                        &mut detail.groups,
                        JointSpace {
                            joint,
                            to_joint,
                            to_model,
                            is_part,
                            is_rigid: is_rigid(to_model),
                        },
                    )
                });
                let position = Vec3::from(*position);
                let at = detail.groups[group].to_joint.transform_point3(position);
                is_safe &= detail.groups[group].is_rigid && precision::is_within_limit(at, limit);
                detail.vertices.push(DetailVertex {
                    mesh: mesh_index,
                    index,
                    group,
                    position,
                    at,
                    limit,
                    packed: position,
                    is_flattened: false,
                });
            }
            if is_safe {
                detail.vertices.truncate(first);
                continue;
            }
            for vertex in first..detail.vertices.len() {
                detail.vertices[vertex].packed = detail.pack(&detail.vertices[vertex], Vec3::ZERO);
            }
            let height_rounding = precision::height_rounding(&mesh.positions);
            if !detail.add_triangles(first, &face_list, height_rounding) {
                detail.vertices.truncate(first);
            }
        }
        detail.triangles.retain_mut(|triangle| {
            let is_flattened = |corner: &&usize| detail.vertices[**corner].is_flattened;
            triangle
                .corners
                .iter()
                .find(is_flattened)
                .map(|corner| triangle.owner = *corner)
                .is_some()
        });
        detail
    }

    /// Adds the triangles of the mesh whose vertices start at `first`, except degenerate ones. Adds nothing and returns
    /// `false` if packing flattens none of them.
    fn add_triangles(
        &mut self,
        first: usize,
        faces: &[super::super::Face],
        height_rounding: f32,
    ) -> bool {
        let before = self.triangles.len();
        let (vertices, triangles) = (&mut self.vertices, &mut self.triangles);
        let mut has_flattened = false;
        precision::for_each_triangle(faces, |corners| {
            let corners = corners.map(|corner| first + corner as usize);
            if corners.iter().any(|corner| *corner >= vertices.len()) {
                return;
            }
            let positions = corners.map(|corner| vertices[corner].position);
            let height = precision::smallest_height(positions);
            if height.is_nan() || height <= height_rounding {
                return;
            }
            let is_flattened =
                precision::is_flattened(positions, corners.map(|corner| vertices[corner].packed));
            if is_flattened {
                has_flattened = true;
                corners
                    .iter()
                    .for_each(|corner| vertices[*corner].is_flattened = true);
            }
            triangles.push(DetailTriangle {
                corners,
                owner: corners[0],
                is_flattened,
            });
        });
        if !has_flattened {
            self.triangles.truncate(before);
        }
        has_flattened
    }

    /// Returns the packed position of a vertex in model space, if it is bound to a bone at `origin` in the space of its
    /// joint.
    fn pack(&self, vertex: &DetailVertex, origin: Vec3) -> Vec3 {
        let packed = origin
            + self
                .encoding
                .packed_position(vertex.at - origin, vertex.limit);
        let farthest = vertex.at.abs().max(vertex.position.abs()).max_element();
        if (packed - vertex.at).abs().max_element() <= ROUNDING * farthest {
            return vertex.position;
        }
        self.groups[vertex.group].to_model.transform_point3(packed)
    }
}

/// Vertices with the same joint, in a box in the space of the joint.
struct Region {
    group: usize,
    /// A range of [`Regions::vertices`].
    vertices: Range<usize>,
    /// A range of the triangles of the detail.
    triangles: Range<usize>,
    depth: u32,
    /// The axis along which the region is longest, and the centre on this axis; `None` if the region is a point.
    split: Option<(usize, f32)>,
    /// The translations of the bones from the joint to the centre of the region; empty if there can be none.
    chain: Vec<Vec3>,
    /// The number of flattened triangles without the bones.
    flattened: usize,
    /// The number of flattened triangles with the first bone of the chain, with the first two, and so on.
    flattened_with: Vec<usize>,
    /// The indices of the halves.
    halves: Option<[usize; 2]>,
}

struct Regions<'a> {
    detail: Detail<'a>,
    /// The vertices of flattened triangles, region by region.
    vertices: Vec<usize>,
    /// The regions; halves come after the region that they divide.
    regions: Vec<Region>,
    roots: Vec<usize>,
    /// The packed positions of the vertices in the region that is measured, with the number of this measurement.
    measured: Vec<(usize, Vec3)>,
    measurements: usize,
}

/// The best use of a region at some price of a bone.
#[derive(Clone, Copy)]
struct Use {
    kind: UseKind,
    /// The number of flattened triangles, plus the price of the bones.
    cost: usize,
}

#[derive(Clone, Copy)]
enum UseKind {
    NoBones,
    /// This many bones of the chain to the region.
    Bones(usize),
    /// The uses of both halves.
    Halves,
}

/// The bones to add for a region.
struct Choice {
    region: usize,
    /// The number of bones of its chain.
    bones: usize,
    /// The number of triangles that they preserve.
    preserved: usize,
}

impl<'a> Regions<'a> {
    /// Divides the vertices of flattened triangles into regions, those with the most flattened triangles first.
    fn divide(mut detail: Detail<'a>) -> Regions<'a> {
        let mut vertices: Vec<usize> = (0..detail.vertices.len())
            .filter(|vertex| {
                let vertex = &detail.vertices[*vertex];
                vertex.is_flattened && !detail.groups[vertex.group].is_part
            })
            .collect();
        let vertex_list = &detail.vertices;
        detail
            .triangles
            .retain(|triangle| !detail.groups[vertex_list[triangle.owner].group].is_part);
        vertices.sort_by_key(|vertex| vertex_list[*vertex].group);
        detail
            .triangles
            .sort_by_key(|triangle| vertex_list[triangle.owner].group);
        let measured = vec![(0, Vec3::ZERO); detail.vertices.len()];
        let groups = detail.groups.len();
        let mut regions = Regions {
            detail,
            vertices,
            regions: Vec::new(),
            roots: Vec::new(),
            measured,
            measurements: 0,
        };
        let mut queue = BinaryHeap::new();
        let (mut vertex_start, mut triangle_start) = (0, 0);
        for group in 0..groups {
            let is_before = |vertex: &usize| regions.detail.vertices[*vertex].group <= group;
            let vertex_end = regions.vertices.partition_point(is_before);
            let triangle_end = regions
                .detail
                .triangles
                .partition_point(|triangle| is_before(&triangle.owner));
            let root = regions.add(
                group,
                vertex_start..vertex_end,
                triangle_start..triangle_end,
                0,
            );
            regions.roots.push(root);
            queue.push((regions.regions[root].remaining(), Reverse(root)));
            (vertex_start, triangle_start) = (vertex_end, triangle_end);
        }
        while let Some((remaining, Reverse(index))) = queue.pop() {
            if remaining == 0 || regions.regions.len() + 2 > MAX_REGIONS {
                break;
            }
            for half in regions.halve(index).into_iter().flatten() {
                queue.push((regions.regions[half].remaining(), Reverse(half)));
            }
        }
        regions
    }

    /// Measures a region and adds it. Returns its index.
    fn add(
        &mut self,
        group: usize,
        vertices: Range<usize>,
        triangles: Range<usize>,
        depth: u32,
    ) -> usize {
        let flattened = self.detail.triangles[triangles.clone()]
            .iter()
            .filter(|triangle| triangle.is_flattened)
            .count();
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for vertex in &self.vertices[vertices.clone()] {
            let at = self.detail.vertices[*vertex].at;
            (min, max) = (min.min(at), max.max(at));
        }
        let center = min + (max - min) / 2.0;
        let size = max - min;
        let axis = size.max_position();
        let mut chain = Vec::new();
        // Too few triangles for a bone, now or in a half.
        let can_divide =
            flattened >= MIN_PRESERVED && depth < MAX_DEPTH && size.max_element() > 0.0;
        if flattened >= MIN_PRESERVED {
            chain = chain_to(center, size.max_element() / 4.0);
        }
        let mut found = Region {
            group,
            vertices,
            triangles,
            depth,
            split: can_divide.then(|| (axis, center[axis])),
            chain,
            flattened,
            flattened_with: Vec::new(),
            halves: None,
        };
        let mut origin = Vec3::ZERO;
        for offset in &found.chain {
            origin += *offset;
            found.flattened_with.push(self.measure(&found, origin));
        }
        push_index(&mut self.regions, found)
    }

    /// Returns the number of triangles in a region that are flattened with a bone at `origin`.
    fn measure(&mut self, candidate: &Region, origin: Vec3) -> usize {
        self.measurements += 1;
        let Regions {
            detail,
            measured,
            measurements,
            ..
        } = self;
        detail.triangles[candidate.triangles.clone()]
            .iter()
            .filter(|triangle| {
                let before = triangle
                    .corners
                    .map(|corner| detail.vertices[corner].position);
                let after = triangle.corners.map(|corner| {
                    let vertex = &detail.vertices[corner];
                    if !vertex.is_flattened || vertex.group != candidate.group {
                        return vertex.packed;
                    }
                    let (measurement, packed) = &mut measured[corner];
                    if *measurement != *measurements {
                        (*measurement, *packed) = (*measurements, detail.pack(vertex, origin));
                    }
                    *packed
                });
                precision::is_flattened(before, after)
            })
            .count()
    }

    /// Divides a region at its centre; `None` if it is too small.
    fn halve(&mut self, index: usize) -> Option<[usize; 2]> {
        let Region {
            group,
            ref vertices,
            ref triangles,
            depth,
            split,
            ..
        } = self.regions[index];
        let (axis, center) = split?;
        let (vertices, triangles) = (vertices.clone(), triangles.clone());
        let vertex_list = &self.detail.vertices;
        let is_upper = |vertex: usize| vertex_list[vertex].at[axis] >= center;
        let own = &mut self.vertices[vertices.clone()];
        own.sort_by_key(|vertex| is_upper(*vertex));
        let vertex_middle = vertices.start + own.partition_point(|vertex| !is_upper(*vertex));
        let own = &mut self.detail.triangles[triangles.clone()];
        own.sort_by_key(|triangle| is_upper(triangle.owner));
        let triangle_middle =
            triangles.start + own.partition_point(|triangle| !is_upper(triangle.owner));
        let halves = [
            self.add(
                group,
                vertices.start..vertex_middle,
                triangles.start..triangle_middle,
                depth + 1,
            ),
            self.add(
                group,
                vertex_middle..vertices.end,
                triangle_middle..triangles.end,
                depth + 1,
            ),
        ];
        self.regions[index].halves = Some(halves);
        Some(halves)
    }

    /// Returns the bones to add: at most `room`.
    fn choose(&self, room: usize) -> Vec<Choice> {
        let total: usize = self
            .roots
            .iter()
            .map(|root| self.regions[*root].flattened)
            .sum();
        // The smallest price at which there is room for all bones; above `total`, no bone is worth its price.
        let (mut low, mut high) = (MIN_PRESERVED, MIN_PRESERVED.max(total + 1));
        while low < high {
            let price = low + (high - low) / 2;
            let bones: usize = self
                .chosen_at(price)
                .iter()
                .map(|choice| choice.bones)
                .sum();
            (low, high) = if bones <= room {
                (low, price)
            } else {
                (price + 1, high)
            };
        }
        let all = self.chosen_at(low);
        if low == MIN_PRESERVED {
            return all;
        }
        // Many regions may be worth exactly the same price. At the next lower one, not all bones have room.
        let mut some = self.chosen_at(low - 1);
        some.sort_by_key(|choice| Reverse(choice.preserved / choice.bones.max(1)));
        let mut left = room;
        some.retain(|choice| {
            let has_room = choice.bones <= left;
            left -= if has_room { choice.bones } else { 0 };
            has_room
        });
        let preserved =
            |chosen: &[Choice]| chosen.iter().map(|choice| choice.preserved).sum::<usize>();
        if preserved(&some) > preserved(&all) {
            some
        } else {
            all
        }
    }

    /// Returns the bones that are worth a price, by region.
    fn chosen_at(&self, price: usize) -> Vec<Choice> {
        let uses = self.uses(price);
        let mut chosen = Vec::new();
        let mut open = self.roots.clone();
        while let Some(index) = open.pop() {
            let region = &self.regions[index];
            match (uses[index].kind, region.halves) {
                (UseKind::Bones(bones), _) => {
                    let preserved = region
                        .flattened
                        .saturating_sub(region.flattened_with[bones - 1]);
                    chosen.push(Choice {
                        region: index,
                        bones,
                        preserved,
                    });
                }
                (UseKind::Halves, Some(halves)) => open.extend(halves),
                _ => {}
            }
        }
        chosen.sort_unstable_by_key(|choice| choice.region);
        chosen
    }

    /// Returns the best use of each region at a price of a bone.
    fn uses(&self, price: usize) -> Vec<Use> {
        let mut uses = vec![
            Use {
                kind: UseKind::NoBones,
                cost: 0
            };
            self.regions.len()
        ];
        for (index, found) in self.regions.iter().enumerate().rev() {
            let mut best = Use {
                kind: UseKind::NoBones,
                cost: found.flattened,
            };
            for (bones, flattened) in (1..).zip(&found.flattened_with) {
                let cost = flattened.saturating_add(price.saturating_mul(bones));
                // Bones that preserve less than half of the triangles are not worth their matrices.
                if cost < best.cost && 2 * flattened <= found.flattened {
                    best = Use {
                        kind: UseKind::Bones(bones),
                        cost,
                    };
                }
            }
            if let Some(halves) = found.halves {
                let [lower, upper] = halves.map(|half| uses[half]);
                let cost = lower.cost.saturating_add(upper.cost);
                if cost < best.cost {
                    best = Use {
                        kind: UseKind::Halves,
                        cost,
                    };
                }
            }
            uses[index] = best;
        }
        uses
    }
}

impl Region {
    /// Returns the largest number of triangles that dividing the region can preserve.
    fn remaining(&self) -> usize {
        self.flattened_with
            .iter()
            .copied()
            .min()
            .unwrap_or(self.flattened)
            .min(self.flattened)
    }
}

/// Returns the translations of bones from the origin to within `distance` of `center` on each axis, or as near as
/// possible. Empty if the origin is near enough, or too far away.
fn chain_to(center: Vec3, distance: f32) -> Vec<Vec3> {
    let mut chain = Vec::new();
    let mut at = Vec3::ZERO;
    while chain.len() < MAX_CHAIN_LENGTH && (center - at).abs().max_element() > distance {
        let Some(offset) =
            Triple::nearest((center - at).into()).map(|offset| Vec3::from(offset.value()))
        else {
            return Vec::new();
        };
        if offset == Vec3::ZERO {
            break;
        }
        at += offset;
        chain.push(offset);
    }
    chain
}
