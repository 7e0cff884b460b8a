//! Adds bones for meshes that are too fine for model-space coordinates, since packed numbers lose precision away from
//! 0.

use glam::{Mat4, Vec3};

use super::super::Triple;
use super::precision::Encoding;
use super::rig;
use crate::Loss;
use crate::scene::skin::influences;
use crate::scene::{Extras, Joint, Mesh, Scene, Skin, Transform, Weights};

/// Maximum number of bones added per group of vertices.
const MAX_DEPTH: usize = 8;

/// Accepted error near a bone, as a multiple of the error at the centre of the vertices.
const SLACK: f32 = 2.0;

/// Binds vertices that packed coordinates would round too coarsely to bones near their mesh. Returns `true` if the
/// bones run out.
pub fn add(scene: &mut Scene, extras: &[Extras], encoding: &Encoding, losses: &mut Vec<Loss>) -> bool {
    let first = scene.skeleton.joints.len();
    let mut anchors = Anchors { base: rig::base(scene), all: Vec::new(), first, out_of_bones: false };
    let origins: Vec<_> = scene.skeleton.joints.iter().map(|joint| joint.inverse_bind.inverse()).collect();
    let farthest = origins.iter().map(|origin| origin.w_axis.truncate().length()).fold(0.0, f32::max);
    let mut meshes = std::mem::take(&mut scene.meshes);
    for (index, mesh) in meshes.iter_mut().enumerate() {
        let accepted = encoding.accepted(mesh.size());
        let reach = mesh.positions.iter().map(|position| Vec3::from(*position).length()).fold(0.0, f32::max);
        let is_point = accepted == 0.0;
        if is_point || encoding.rounding(Vec3::splat(reach + farthest)).1 <= accepted {
            continue;
        }
        let before = anchors.all.len();
        let leaders: Vec<_> = (0..mesh.positions.len()).map(|vertex| leader(mesh, vertex)).collect();
        for group in groups(scene, mesh, &leaders, encoding) {
            let is_part = group.joint.is_some_and(|joint| extras.get(joint).is_some_and(rig::is_pseudo_bone));
            if group.error > accepted && !is_part {
                anchors.bind(scene, mesh, &leaders, &group, encoding);
            }
        }
        let added = anchors.all.len() - before;
        if added > 0 {
            let message =
                "packed coordinates are too coarse this far from the origin: bones added near the mesh";
            losses.push(Loss::changed(format!("meshes[{index}].skins"), message).detail(added));
        }
    }
    scene.meshes = meshes;
    anchors.out_of_bones
}

/// Returns the joint that becomes the bone of a vertex.
fn leader(mesh: &Mesh, vertex: usize) -> Option<usize> {
    influences(&mesh.skins, vertex).first().map(|(joint, _)| usize::from(*joint))
}

/// The vertices of a mesh that follow one joint, with their bounds in joint space.
struct Group {
    joint: Option<usize>,
    low: Vec3,
    high: Vec3,
    /// The largest rounding error of a coordinate.
    error: f32,
}

fn groups(scene: &Scene, mesh: &Mesh, leaders: &[Option<usize>], encoding: &Encoding) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (position, leader) in mesh.positions.iter().zip(leaders) {
        let own = leader.and_then(|joint| scene.skeleton.joints.get(joint));
        let to_joint = own.map_or(Mat4::IDENTITY, |joint| joint.inverse_bind);
        let at = to_joint.transform_point3(Vec3::from(*position));
        let place = *places.entry(*leader).or_insert_with(|| {
            groups.push(Group { joint: *leader, low: at, high: at, error: 0.0 });
            groups.len() - 1
        });
        let group = &mut groups[place];
        (group.low, group.high) = (group.low.min(at), group.high.max(at));
        group.error = group.error.max(encoding.rounding(at).0);
    }
    groups
}

/// A bone near a mesh.
struct Anchor {
    /// The joint that the bone moves with.
    joint: Option<usize>,
    /// The origin in the space of that joint.
    at: Vec3,
}

struct Anchors {
    /// The joint that becomes bone 0, if there is one.
    base: Option<usize>,
    all: Vec<Anchor>,
    /// The index of the first anchor in the skeleton.
    first: usize,
    /// Whether a group needed more bones than available.
    out_of_bones: bool,
}

impl Anchors {
    /// Binds the vertices of a group to the nearest anchor. If that is too far, appends a chain of new anchors and
    /// uses its last one.
    fn bind(
        &mut self,
        scene: &mut Scene,
        mesh: &mut Mesh,
        leaders: &[Option<usize>],
        group: &Group,
        encoding: &Encoding,
    ) {
        let joint = group.joint.or(self.base);
        let error_at = |at: Vec3| encoding.rounding((group.low - at).abs().max((group.high - at).abs())).1;
        let centre = group.low + (group.high - group.low) / 2.0;
        // Bones are added even if they cannot reach the accepted error; the message then states the smallest error
        // possible.
        let accepted = encoding.accepted(mesh.size()).max(SLACK * error_at(centre));
        if group.error <= accepted {
            return;
        }
        let own = self.all.iter().enumerate().filter(|(_, anchor)| anchor.joint == joint);
        let mut nearest = own
            .min_by(|(_, a), (_, b)| a.at.distance(centre).total_cmp(&b.at.distance(centre)))
            .map(|(index, anchor)| (Some(index), anchor.at))
            .filter(|(_, at)| at.distance(centre) < centre.length())
            .unwrap_or((None, Vec3::ZERO));
        let mut chain = Vec::new();
        while error_at(nearest.1) > accepted {
            let Some(offset) =
                Triple::nearest((centre - nearest.1).clamp_length_max(Triple::MAX / 2.0).into())
            else {
                return;
            };
            let (parent, offset) = (nearest.0, Vec3::from(offset.value()));
            if offset == Vec3::ZERO || chain.len() == MAX_DEPTH {
                return;
            }
            nearest = (Some(self.all.len() + chain.len()), nearest.1 + offset);
            chain.push((parent, offset, nearest.1));
        }
        let Some(last) = nearest.0 else { return };
        // The model may need one more bone for itself.
        if scene.skeleton.joints.len() + chain.len() + 1 > rig::MAX_BONES {
            self.out_of_bones = true;
            return;
        }
        let to_joint = joint.and_then(|joint| scene.skeleton.joints.get(joint));
        let to_joint = to_joint.map_or(Mat4::IDENTITY, |joint| joint.inverse_bind);
        for (parent, offset, at) in chain {
            scene.skeleton.joints.push(Joint {
                name: mesh.name.clone(),
                parent: parent.map(|index| self.first + index).or(joint),
                inverse_bind: Mat4::from_translation(-at) * to_joint,
                rest: Some(Transform { translation: offset.into(), ..Transform::default() }),
                ..Joint::default()
            });
            self.all.push(Anchor { joint, at });
        }
        rebind(mesh, leaders, group.joint, (self.first + last) as u16);
    }
}

/// Rebinds the vertices of one joint to another.
fn rebind(mesh: &mut Mesh, leaders: &[Option<usize>], from: Option<usize>, to: u16) {
    if mesh.skins.is_empty() {
        mesh.skins = vec![Skin::rigid(leaders.iter().map(|_| to))];
        return;
    }
    let followers =
        || leaders.iter().enumerate().filter(|(_, leader)| **leader == from).map(|(vertex, _)| vertex);
    for skin in &mut mesh.skins {
        for vertex in followers() {
            let Some(joints) = skin.joints.get_mut(vertex) else { continue };
            match from {
                Some(from) => {
                    let own = joints.iter_mut().filter(|joint| usize::from(**joint) == from);
                    own.for_each(|joint| *joint = to);
                }
                None => {
                    joints[0] = to;
                    match &mut skin.weights {
                        Weights::U8(weights) => weights[vertex] = [255, 0, 0, 0],
                        Weights::F32(weights) => weights[vertex] = [1.0, 0.0, 0.0, 0.0],
                    }
                }
            }
        }
    }
}
