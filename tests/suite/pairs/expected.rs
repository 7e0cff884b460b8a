//! Predicts a converted scene from the original and the losses: each loss changes exactly the content at its path. A
//! loss with an unknown path or message is an error.

use std::collections::BTreeSet;

use meshspec::{Loss, LossKind};

use super::parts::{
    COMPARED_JOINT_COUNT, Content, CustomPart, MeshContent, Metric, Numbers, ScenePart, SceneParts,
};

/// Effects of losses beyond a single part.
#[derive(Debug, Default)]
pub struct LossEffects {
    /// Joints were added or reordered, or have another rest pose.
    pub joints_changed: bool,
    /// A joint was added for unbound vertices.
    pub joint_added: bool,
    /// Meshes that may have additional custom attributes of zeros.
    pub filled: Vec<usize>,
    /// Meshes with renamed custom attributes.
    pub renamed: Vec<usize>,
    /// Meshes whose custom attributes have additional components of zeros.
    pub widened: Vec<usize>,
}

type ApplyResult = Result<(), String>;

impl Content {
    /// Applies the losses.
    pub fn apply(&mut self, losses: &[Loss]) -> Result<LossEffects, String> {
        let mut effects = LossEffects::default();
        let mut meshes = BTreeSet::new();
        for loss in losses {
            // Consecutive losses of dropped meshes use the same numbering.
            match split(&loss.path.to_string()) {
                ("meshes", Some(index), "") if loss.kind == LossKind::Dropped => {
                    meshes.insert(index);
                }
                _ => {
                    self.drop_meshes(&mut meshes)?;
                    self.apply_loss(loss, &mut effects)
                        .map_err(|why| format!("{loss}: {why}"))?;
                }
            }
        }
        self.drop_meshes(&mut meshes)?;
        self.animations.retain(|animation| !animation.is_empty());
        Ok(effects)
    }

    fn drop_meshes(&mut self, meshes: &mut BTreeSet<usize>) -> ApplyResult {
        let meshes = std::mem::take(meshes);
        if meshes.last().is_some_and(|last| *last >= self.meshes.len()) {
            return Err(format!("meshes{meshes:?} are not there"));
        }
        let mut index = 0..;
        self.meshes
            .retain(|_| !index.next().is_some_and(|index| meshes.contains(&index)));
        Ok(())
    }

    fn apply_loss(&mut self, loss: &Loss, effects: &mut LossEffects) -> ApplyResult {
        let path = loss.path.to_string();
        let (list, index, field) = split(&path);
        match (list, index, field) {
            ("meshes", None, "") if loss.kind == LossKind::Merged => self.merge(),
            ("meshes" | "chunks", Some(index), field) => {
                let mesh = self.meshes.get_mut(index).ok_or(MISSING)?;
                mesh.apply_loss(index, field, loss, effects)
            }
            ("skeleton", None, field) => self.apply_skeleton_loss(field, loss, effects),
            ("animations", None, "") if loss.kind == LossKind::Dropped => {
                clear(&mut self.animations)
            }
            // The tests of rebinding cover vertices during animations.
            ("animations", None, "") if loss.kind == LossKind::Quantized => Ok(()),
            ("animations", Some(index), field) => {
                let animation = self.animations.get_mut(index).ok_or(MISSING)?;
                match field {
                    "" if loss.kind == LossKind::Dropped => animation.clear(),
                    // Times are compared by the values at each time.
                    field if field == "times" || field.starts_with("channels[") => {
                        let all = animation
                            .iter_mut()
                            .filter(|(name, _)| name.starts_with("channels."));
                        all.for_each(mark_unknown);
                    }
                    // For half a turn between keys, rounding decides the direction.
                    "channels.rotation" if loss.error > Some(60.0) => {
                        animation
                            .get_mut(field)
                            .into_iter()
                            .for_each(|part| *part = ScenePart::Anything);
                    }
                    field => apply_part_loss(animation, field, loss)?,
                }
                Ok(())
            }
            ("attributes", Some(_), "usage") => {
                effects.renamed.extend(0..self.meshes.len());
                Ok(())
            }
            ("properties", None, "") if loss.kind == LossKind::Dropped => {
                clear(&mut self.properties)
            }
            ("properties", Some(index), "") => {
                let property = self.properties.get_mut(index).ok_or(MISSING)?;
                *property = if loss.kind == LossKind::Dropped {
                    DROPPED
                } else {
                    ScenePart::Anything
                };
                Ok(())
            }
            ("lods", None, "") if loss.kind == LossKind::Dropped => {
                remove_all(&mut self.whole, "lods[")
            }
            ("lods", Some(index), "") => {
                apply_part_loss(&mut self.whole, &format!("lods[{index}].meshes"), loss)
            }
            ("lods", Some(_), "distance") => apply_part_loss(&mut self.whole, &path, loss),
            // The effect on vertices and joints was applied before.
            ("transform", None, "") if loss.kind == LossKind::Changed => Ok(()),
            ("transform", None, "") => apply_part_loss(&mut self.whole, "transform", loss),
            ("user_data" | "extras", None, "") => apply_part_loss(&mut self.whole, list, loss),
            _ => Err(UNKNOWN_LOSS.into()),
        }
    }

    /// Concatenates the meshes. Earlier losses must have filled in attributes that only some meshes have, and dropped
    /// properties that differ.
    fn merge(&mut self) -> ApplyResult {
        let mut meshes = std::mem::take(&mut self.meshes).into_iter();
        let mut all = meshes.next().ok_or(MISSING)?;
        for mesh in meshes {
            all.append(mesh)?;
        }
        self.meshes = vec![all];
        Ok(())
    }

    fn apply_skeleton_loss(
        &mut self,
        field: &str,
        loss: &Loss,
        effects: &mut LossEffects,
    ) -> ApplyResult {
        if let Some((index, field)) = field
            .strip_prefix("joints[")
            .and_then(|rest| rest.split_once("]."))
        {
            let index: usize = index.parse().map_err(|_| "no number")?;
            if (field, loss.kind) == ("inverse_bind", LossKind::Changed) {
                return self.mark_scale_unknown(index);
            }
            return apply_part_loss(self.joints.get_mut(index).ok_or(MISSING)?, field, loss);
        }
        match (field, loss.kind) {
            // The tests of rebinding cover the vertex positions.
            ("joints.inverse_bind", LossKind::Changed) => {
                effects.joints_changed = true;
                let scaled: Vec<usize> = (0..self.joints.len())
                    .filter(|joint| self.is_scaled(*joint))
                    .collect();
                self.mark_transforms_unknown(&scaled);
                if scaled.is_empty() {
                    Err("no joint has a scale".into())
                } else {
                    Ok(())
                }
            }
            ("joints.rest", LossKind::Changed) => {
                // The vertices are expected at rest.
                let is_transform =
                    |name: &str| name.starts_with("bind.") || name.starts_with("rest.");
                for joint in &mut self.joints {
                    joint
                        .iter_mut()
                        .filter(|(name, _)| is_transform(name))
                        .for_each(mark_unknown);
                }
                Ok(())
            }
            ("joints.scale", LossKind::Quantized) => Ok(()),
            ("joints", LossKind::Dropped) => clear(&mut self.joints),
            ("joints" | "", LossKind::Changed) => {
                effects.joints_changed = true;
                for joint in &mut self.joints {
                    joint
                        .iter_mut()
                        .filter(|(name, _)| name.starts_with("rest."))
                        .for_each(mark_unknown);
                }
                Ok(())
            }
            ("joints.name", LossKind::Dropped) => {
                self.each_joint(|joint| remove_all(joint, "name"))
            }
            ("joints.translation" | "joints.rotation", LossKind::Quantized) => {
                let property = field.trim_start_matches("joints.");
                for joint in &mut self.joints {
                    apply_part_loss(joint, &format!("bind.{property}"), loss)?;
                    apply_part_loss(joint, &format!("rest.{property}"), loss)?;
                }
                // Joints without a channel are at rest.
                let path = format!("channels.{property}");
                self.animations
                    .iter_mut()
                    .try_for_each(|animation| apply_part_loss(animation, &path, loss))
            }
            _ => Err(UNKNOWN_LOSS.into()),
        }
    }

    fn each_joint(&mut self, lose: impl Fn(&mut SceneParts) -> ApplyResult) -> ApplyResult {
        self.joints.iter_mut().try_for_each(lose)
    }

    /// Returns `true` if a joint or its ancestor has, or may have, a scale in the bind pose.
    fn is_scaled(&self, joint: usize) -> bool {
        let above = |joint: &usize| match self.joints.get(*joint)?.get("parent")? {
            ScenePart::Text(parent) => parent.parse().ok(),
            _ => None,
        };
        let mut chain = std::iter::successors(Some(joint), above).take(self.joints.len());
        chain.any(|joint| {
            match self
                .joints
                .get(joint)
                .and_then(|parts| parts.get("bind.scale"))
            {
                Some(ScenePart::Numbers(scale)) => scale
                    .values
                    .iter()
                    .any(|factor| (factor - 1.0).abs() > 1e-5),
                _ => true,
            }
        })
    }

    /// Marks the transforms of these joints as unknown, in the bind pose, at rest and in animations.
    fn mark_transforms_unknown(&mut self, joints: &[usize]) {
        let count = self.joints.len();
        for joint in joints {
            let is_transform = |name: &str| name.starts_with("bind.") || name.starts_with("rest.");
            self.joints[*joint]
                .iter_mut()
                .filter(|(name, _)| is_transform(name))
                .for_each(mark_unknown);
        }
        let channels = self
            .animations
            .iter_mut()
            .flatten()
            .filter(|(name, _)| name.starts_with("channels."));
        for (_, part) in channels {
            let ScenePart::Numbers(Numbers {
                values, components, ..
            }) = part
            else {
                continue;
            };
            for pose in values.chunks_mut(*components * count) {
                joints
                    .iter()
                    .for_each(|joint| pose[*components * joint..][..*components].fill(f64::NAN));
            }
        }
    }

    /// Marks a joint's scale as unknown, in the bind pose, at rest and in animations.
    fn mark_scale_unknown(&mut self, joint: usize) -> ApplyResult {
        let count = self.joints.len();
        let parts = self.joints.get_mut(joint).ok_or(MISSING)?;
        parts
            .iter_mut()
            .filter(|(name, _)| name.ends_with(".scale"))
            .for_each(mark_unknown);
        for animation in &mut self.animations {
            if let Some(ScenePart::Numbers(Numbers { values, .. })) =
                animation.get_mut("channels.scale")
            {
                for pose in values.chunks_mut(3 * count) {
                    pose[3 * joint..][..3].fill(f64::NAN);
                }
            }
        }
        Ok(())
    }
}

const MISSING: &str = "the part at the path is missing";
/// The message for a loss without an expected effect.
const UNKNOWN_LOSS: &str = "unknown loss";

/// The value of a dropped property.
pub const DROPPED: ScenePart = ScenePart::Text(String::new());

impl MeshContent {
    fn apply_loss(
        &mut self,
        index: usize,
        field: &str,
        loss: &Loss,
        effects: &mut LossEffects,
    ) -> ApplyResult {
        let custom = field
            .strip_prefix("custom[")
            .and_then(|rest| rest.split_once(']'));
        match (field, custom) {
            ("custom", _) if loss.kind == LossKind::Changed => effects.filled.push(index),
            (_, Some((place, ""))) if loss.kind == LossKind::Dropped => {
                let custom = place
                    .parse()
                    .ok()
                    .and_then(|place: usize| self.custom.get_mut(place));
                return custom
                    .and_then(Option::take)
                    .map(drop)
                    .ok_or(MISSING.into());
            }
            (_, Some((_, ".name"))) if loss.kind == LossKind::Renamed => {
                effects.renamed.push(index)
            }
            (_, Some((_, ".components"))) if loss.kind == LossKind::Changed => {
                effects.widened.push(index)
            }
            (_, Some((place, ""))) if loss.kind != LossKind::Dropped => {
                let custom = place
                    .parse()
                    .ok()
                    .and_then(|place: usize| self.custom.get_mut(place));
                let custom = custom.and_then(Option::as_mut).ok_or(MISSING)?;
                if loss.kind == LossKind::Renamed {
                    effects.renamed.push(index);
                } else {
                    custom.error += loss.error.unwrap_or(f64::INFINITY);
                }
            }
            (_, Some(_)) => return Err(UNKNOWN_LOSS.into()),
            ("tangents", _) if loss.kind == LossKind::Renamed => {
                return self.convert_tangents_to_custom();
            }
            // All sets are one part, which the first loss removes.
            (field, _) if field.starts_with("skins[") && loss.kind == LossKind::Dropped => {
                let first = field == "skins[0]";
                return if first {
                    remove_all(&mut self.parts, "skins")
                } else {
                    Ok(())
                };
            }
            // Influences of weight 0 are not compared.
            ("skins", _) if loss.kind == LossKind::Dropped => {}
            (field, _) if field.starts_with("skins") => {
                effects.joint_added |= loss.kind == LossKind::Changed;
                return apply_part_loss(&mut self.parts, "skins", loss);
            }
            // The loss of positions covers the corners of flattened triangles.
            ("faces", _) if loss.kind == LossKind::Quantized => {}
            ("faces", _) if loss.kind == LossKind::Dropped => {
                return remove_all(&mut self.parts, "faces.rest");
            }
            _ => return apply_part_loss(&mut self.parts, field, loss),
        }
        Ok(())
    }

    /// glTF ignores tangents without normals, so they become custom attributes.
    fn convert_tangents_to_custom(&mut self) -> ApplyResult {
        let parts = [
            self.parts.remove("tangents"),
            self.parts.remove("tangents.w"),
        ];
        let [
            Some(ScenePart::Numbers(directions)),
            Some(ScenePart::Numbers(sides)),
        ] = parts
        else {
            return Err(MISSING.into());
        };
        let pairs = directions
            .values
            .as_chunks::<3>()
            .0
            .iter()
            .zip(sides.values);
        let values = pairs
            .flat_map(|([x, y, z], side)| [*x, *y, *z, side])
            .collect();
        let (name, values) = ("TANGENT".to_owned(), ("F32".to_owned(), values));
        self.custom.push(Some(CustomPart {
            name,
            components: 4,
            values,
            error: 0.0,
        }));
        Ok(())
    }

    /// Appends the vertices and faces of another mesh.
    fn append(&mut self, mut other: MeshContent) -> ApplyResult {
        let base = self.vertices as f64;
        if let Some(ScenePart::Numbers(faces)) = other.parts.get_mut("faces") {
            faces.values.iter_mut().for_each(|corner| *corner += base);
        }
        let names: BTreeSet<String> = self
            .parts
            .keys()
            .chain(other.parts.keys())
            .cloned()
            .collect();
        for name in names {
            let once =
                name.starts_with("material.") || ["name", "extras", "flat"].contains(&&*name);
            match (self.parts.get_mut(&name), other.parts.remove(&name)) {
                (Some(_), None) if once => {}
                (Some(own), Some(more)) if once && *own == more => {}
                // Appending an unknown list of faces makes the whole list unknown.
                (Some(own), Some(ScenePart::Anything)) if name == "faces" => {
                    *own = ScenePart::Anything
                }
                (Some(ScenePart::Anything), Some(_)) if name == "faces" => {}
                (Some(own), Some(more)) if !once => own.append(more, self.vertices, other.vertices),
                _ => return Err(format!("{name} differs between meshes, without a loss")),
            }
        }
        self.vertices += other.vertices;
        match other.custom.iter().all(Option::is_none) {
            true => Ok(()),
            false => Err("custom attributes were merged without a loss".into()),
        }
    }
}

impl ScenePart {
    fn append(&mut self, more: ScenePart, vertices: usize, others: usize) {
        let components = match (&*self, &more) {
            (ScenePart::Numbers(numbers), _) | (_, ScenePart::Numbers(numbers)) => {
                numbers.components
            }
            _ => return,
        };
        let unknown = |vertices| vec![f64::NAN; vertices * components];
        let (own, more) = match (std::mem::replace(self, ScenePart::Anything), more) {
            (ScenePart::Numbers(own), ScenePart::Numbers(more)) => {
                let error = own.error.max(more.error);
                let metric = if more.metric == Metric::Set {
                    Metric::Set
                } else {
                    own.metric
                };
                (
                    Numbers {
                        error,
                        metric,
                        ..own
                    },
                    more.values,
                )
            }
            (ScenePart::Numbers(own), _) => (own, unknown(others)),
            (_, ScenePart::Numbers(more)) => (
                Numbers {
                    values: unknown(vertices),
                    ..more.clone()
                },
                more.values,
            ),
            _ => return,
        };
        *self = ScenePart::Numbers(Numbers {
            values: [own.values, more].concat(),
            ..own
        });
    }
}

fn mark_unknown((_, part): (&String, &mut ScenePart)) {
    *part = ScenePart::Anything;
}

fn clear<T>(list: &mut Vec<T>) -> ApplyResult {
    if list.is_empty() {
        return Err(MISSING.into());
    }
    list.clear();
    Ok(())
}

/// Removes the part called `name` and all parts below it.
fn remove_all(parts: &mut SceneParts, name: &str) -> ApplyResult {
    let before = parts.len();
    parts.retain(|other, _| !is_below(other, name));
    if parts.len() == before {
        Err(MISSING.into())
    } else {
        Ok(())
    }
}

fn is_below(name: &str, above: &str) -> bool {
    name.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || above.ends_with('['))
}

/// Drops, replaces, or loosens a part, as the loss states.
fn apply_part_loss(parts: &mut SceneParts, name: &str, loss: &Loss) -> ApplyResult {
    match loss.kind {
        // Only faces of fewer than three corners are dropped without the rest of their list.
        LossKind::Dropped if name == "faces.corners" => {
            drop(parts.insert(name.into(), ScenePart::Anything))
        }
        // Other tests cover the triangulation; here, all corners of a polygon must be in some triangle.
        LossKind::Split => {
            if let Some(ScenePart::Numbers(triangles)) = parts.get_mut("faces") {
                triangles.metric = Metric::Set;
            }
            return remove_all(parts, name);
        }
        LossKind::Dropped if name.ends_with(".alpha") => match parts.get_mut(name) {
            Some(ScenePart::Numbers(alpha)) => alpha.values.fill(1.0),
            _ => return Err(MISSING.into()),
        },
        LossKind::Dropped => return remove_all(parts, name),
        // Directions and rotations are kept.
        LossKind::Changed if loss.message.ends_with(" normalised") => {
            for (_, part) in parts.iter_mut().filter(|(other, _)| is_below(other, name)) {
                let ScenePart::Numbers(numbers) = part else {
                    continue;
                };
                if numbers.components == 3 && numbers.metric != Metric::Points {
                    numbers.metric = Metric::Directions;
                    numbers.error = numbers.error.max(1e-3);
                }
            }
        }
        LossKind::Changed | LossKind::Renamed => {
            parts
                .iter_mut()
                .filter(|(other, _)| is_below(other, name))
                .for_each(mark_unknown);
            // A new part also has parts below it.
            let with = match name {
                "tangents" => Some("tangents.w".to_owned()),
                name if name.starts_with("colors[") || name == "material.base_color" => {
                    Some(format!("{name}.alpha"))
                }
                _ => None,
            };
            for name in with.into_iter().chain([name.to_owned()]) {
                if name != "channels" {
                    parts.insert(name, ScenePart::Anything);
                }
            }
        }
        LossKind::Quantized => {
            let error = loss.error.ok_or("how much?")?;
            // Alpha has the precision of the other channels.
            if let Some(ScenePart::Numbers(alpha)) = parts.get_mut(&format!("{name}.alpha")) {
                alpha.error += error;
            }
            match parts.get_mut(name) {
                Some(ScenePart::Numbers(numbers)) => numbers.error += error,
                Some(ScenePart::Anything) => {}
                _ => return Err(MISSING.into()),
            }
        }
        _ => return Err(UNKNOWN_LOSS.into()),
    }
    Ok(())
}

/// Splits `meshes[3].colors[0]` into `meshes`, 3 and `colors[0]`.
fn split(path: &str) -> (&str, Option<usize>, &str) {
    let (head, field) = path.split_once('.').unwrap_or((path, ""));
    match head.strip_suffix(']').and_then(|head| head.split_once('[')) {
        Some((list, index)) => (list, index.parse().ok(), field),
        None => (head, None, field),
    }
}

/// Binds unbound vertices to the first, static bone, for formats that require a bone.
pub fn bind_to_base_bone(mesh: &mut MeshContent) {
    if let Some(ScenePart::Numbers(skins)) = mesh.parts.get_mut("skins") {
        for row in skins
            .values
            .chunks_mut(COMPARED_JOINT_COUNT)
            .filter(|row| row.iter().all(|weight| *weight == 0.0))
        {
            row.fill(f64::NAN);
        }
    }
}
