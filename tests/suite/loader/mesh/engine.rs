//! A MESH loader like that of an engine, written from the specification alone, with bugs that can be enabled.

use meshspec::Dialect;

/// Typical bugs of engine loaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Truncates indices to 16 bits.
    NarrowIndices,
    /// Reads the number of joints as a signed byte.
    SignedJointCount,
    /// Rejects names that are not UTF-8.
    Utf8Names,
    /// Quiets signalling NaNs.
    QuietNans,
    /// Requires joints after their parents.
    ParentsFirst,
    /// Assumes the entries of a pose are in joint order.
    PosesInOrder,
    /// Accepts bits 4 to 15 of the format.
    UnusedBits,
    /// Indices are not checked.
    UncheckedIndices,
    /// Accepts a last string without a NUL.
    UnterminatedString,
    /// Reads joint matrices as column-major.
    ColumnMajor,
    /// Reads texture coordinates after normals even if there are none.
    UvsAfterNormals,
    /// Stores weights as 16-bit floats.
    HalfWeights,
    /// Skips all animations but the first.
    OneAnimation,
    /// Reads every file in the specification's dialect.
    UnknownDialect,
}

impl Bug {
    pub const ALL: [Bug; 14] = [
        Bug::NarrowIndices,
        Bug::SignedJointCount,
        Bug::Utf8Names,
        Bug::QuietNans,
        Bug::ParentsFirst,
        Bug::PosesInOrder,
        Bug::UnusedBits,
        Bug::UncheckedIndices,
        Bug::UnterminatedString,
        Bug::ColumnMajor,
        Bug::UvsAfterNormals,
        Bug::HalfWeights,
        Bug::OneAnimation,
        Bug::UnknownDialect,
    ];
}

/// The loaded file; floats as bits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub root: Vec<u32>,
    pub positions: Vec<u32>,
    pub normals: Vec<u32>,
    pub uvs: Vec<u32>,
    pub joint_ids: Vec<u8>,
    pub weights: Vec<u32>,
    pub indices: Vec<u32>,
    pub joints: Vec<Joint>,
    pub clips: Vec<Clip>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub id: u8,
    pub parent: u8,
    pub transform: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    pub name: Option<Vec<u8>>,
    pub duration: u32,
    pub speed: u32,
    pub times: Vec<u32>,
    /// For each time: translation, rotation and scale of each joint in turn.
    pub poses: Vec<Vec<u32>>,
}

/// Loads a file; `None` if it violates the specification.
pub fn load(bytes: &[u8], dialect: Dialect, bug: Option<Bug>) -> Option<Model> {
    let is_renderlib = dialect == Dialect::RENDERLIB && bug != Some(Bug::UnknownDialect);
    Loader {
        bytes,
        is_renderlib,
        bug,
    }
    .read_model()
}

struct Loader<'b> {
    /// The remaining bytes.
    bytes: &'b [u8],
    is_renderlib: bool,
    bug: Option<Bug>,
}

impl<'b> Loader<'b> {
    fn has_bug(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn read_byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn read_short(&mut self) -> Option<u16> {
        self.take(2)
            .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn read_words(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(
            bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect(),
        )
    }

    fn read_word(&mut self) -> Option<u32> {
        self.read_words(1).map(|words| words[0])
    }

    fn read_floats(&mut self, count: usize) -> Option<Vec<u32>> {
        let mut words = self.read_words(count)?;
        if self.has_bug(Bug::QuietNans) {
            let nans = words
                .iter_mut()
                .filter(|word| f32::from_bits(**word).is_nan());
            nans.for_each(|nan| *nan |= 0x0040_0000);
        }
        Some(words)
    }

    fn read_model(&mut self) -> Option<Model> {
        let mut model = Model::default();
        let (version, format) = (self.read_byte()?, self.read_short()?);
        let has_unused = format >> 4 != 0 && !self.has_bug(Bug::UnusedBits);
        if version != 1 || format & 1 == 0 || has_unused {
            return None;
        }
        let (vertices, indices) = (self.read_word()? as usize, self.read_word()? as usize);
        let joints = match self.read_byte()? {
            count if self.has_bug(Bug::SignedJointCount) => {
                usize::from(count.cast_signed().max(0).cast_unsigned())
            }
            count => usize::from(count),
        };
        let clips = if self.is_renderlib {
            self.read_short()?
        } else {
            self.read_byte()?.into()
        };
        if self.is_renderlib {
            model.root = self.read_floats(16)?;
        }
        self.read_vertices(&mut model, vertices, format)?;
        model.indices = self.read_words(indices)?;
        if self.has_bug(Bug::NarrowIndices) {
            model.indices.iter_mut().for_each(|index| *index &= 0xffff);
        }
        // Without vertices, there is nothing to draw.
        let is_inside = |index: &u32| (*index as usize) < vertices || vertices == 0;
        if !self.has_bug(Bug::UncheckedIndices) && !model.indices.iter().all(is_inside) {
            return None;
        }
        for _ in 0..joints {
            model.joints.push(self.read_joint()?);
        }
        self.check_skeleton(&model)?;
        let mut names = Vec::new();
        for _ in 0..clips {
            let (name, clip) = self.read_clip(joints)?;
            names.push(name);
            model.clips.push(clip);
        }
        self.read_names(&mut model, &names)?;
        if self.has_bug(Bug::OneAnimation) {
            model.clips.truncate(1);
        }
        Some(model)
    }

    fn read_vertices(&mut self, model: &mut Model, count: usize, format: u16) -> Option<()> {
        for _ in 0..count {
            let vertex = self.bytes;
            model.positions.extend(self.read_floats(3)?);
            if format & 2 != 0 {
                model.normals.extend(self.read_floats(3)?);
            }
            if format & 4 != 0 {
                let mut uv = self.read_floats(2)?;
                if self.has_bug(Bug::UvsAfterNormals) {
                    uv = Loader {
                        bytes: vertex.get(24..)?,
                        ..*self
                    }
                    .read_floats(2)?;
                }
                model.uvs.extend(uv);
            }
            if format & 8 != 0 {
                model.joint_ids.extend(self.take(4)?);
                let weights = self
                    .take(4)?
                    .iter()
                    .map(|weight| f32::from(*weight) / 255.0);
                let is_half = self.has_bug(Bug::HalfWeights);
                let kept = |weight| {
                    if is_half {
                        half::f16::from_f32(weight).to_f32()
                    } else {
                        weight
                    }
                };
                model
                    .weights
                    .extend(weights.map(|weight| kept(weight).to_bits()));
            }
        }
        Some(())
    }

    fn read_joint(&mut self) -> Option<Joint> {
        let (id, parent, mut transform) =
            (self.read_byte()?, self.read_byte()?, self.read_floats(16)?);
        if self.has_bug(Bug::ColumnMajor) {
            transform = (0..16).map(|i| transform[i % 4 * 4 + i / 4]).collect();
        }
        Some(Joint {
            id,
            parent,
            transform,
        })
    }

    /// Returns `None` unless ids number the joints, parents lead to a root, and every weighted vertex has a joint.
    fn check_skeleton(&self, model: &Model) -> Option<()> {
        let joints = &model.joints;
        let by_position: Vec<usize> = (0..joints.len()).collect();
        let by_id: Vec<usize> = joints.iter().map(|joint| joint.id.into()).collect();
        if by_position.iter().any(|number| !by_id.contains(number)) {
            return None;
        }
        // Out of order, parents are ids or indices, whichever lead to roots.
        if !leads_to_roots(joints, &by_id) && !leads_to_roots(joints, &by_position) {
            return None;
        }
        let follows = |(position, joint): (usize, &Joint)| {
            joint.parent == 255 || usize::from(joint.parent) < position
        };
        if self.has_bug(Bug::ParentsFirst) && !joints.iter().enumerate().all(follows) {
            return None;
        }
        for (ids, weights) in model.joint_ids.chunks(4).zip(model.weights.chunks(4)) {
            let is_bound =
                |slot: usize| usize::from(ids[slot]) < joints.len() && weights[slot] != 0;
            if weights.iter().any(|weight| *weight != 0) && !(0..4).any(is_bound) {
                return None;
            }
        }
        Some(())
    }

    /// Reads an animation and the index of its name; `None` if it is invalid.
    fn read_clip(&mut self, joints: usize) -> Option<(Option<u32>, Clip)> {
        let name = if self.is_renderlib {
            None
        } else {
            Some(self.read_word()?)
        };
        let [duration, speed] = self.read_floats(2)?[..] else {
            return None;
        };
        let count = self.read_word()? as usize;
        let times = self.read_floats(count)?;
        let mut poses = Vec::new();
        for _ in 0..count {
            let mut pose = vec![None; joints];
            for position in 0..joints {
                let joint = if self.is_renderlib {
                    self.read_byte()?.into()
                } else {
                    self.read_word()? as usize
                };
                let index = if self.has_bug(Bug::PosesInOrder) {
                    position
                } else {
                    joint
                };
                if pose
                    .get_mut(index)?
                    .replace(self.read_floats(10)?)
                    .is_some()
                {
                    return None;
                }
            }
            poses.push(pose.into_iter().flatten().flatten().collect());
        }
        Some((
            name,
            Clip {
                name: None,
                duration,
                speed,
                times,
                poses,
            },
        ))
    }

    fn read_names(&mut self, model: &mut Model, numbers: &[Option<u32>]) -> Option<()> {
        if self.is_renderlib {
            return self.bytes.is_empty().then_some(());
        }
        let mut strings: Vec<&[u8]> = self.bytes.split(|byte| *byte == 0).collect();
        let last = strings.pop()?;
        match last {
            [] => {}
            _ if self.has_bug(Bug::UnterminatedString) => strings.push(last),
            _ => return None,
        }
        if self.has_bug(Bug::Utf8Names)
            && strings.iter().any(|string| str::from_utf8(string).is_err())
        {
            return None;
        }
        for (clip, number) in model.clips.iter_mut().zip(numbers) {
            clip.name = Some(strings.get((*number)? as usize)?.to_vec());
        }
        Some(())
    }
}

/// Returns `true` if the ancestors of every joint end at a root. Parents are joint numbers; `numbers` contains the
/// number of each joint.
fn leads_to_roots(joints: &[Joint], numbers: &[usize]) -> bool {
    let parent_of = |number: usize| {
        joints
            .iter()
            .zip(numbers)
            .find(|(_, own)| **own == number)
            .map(|(joint, _)| joint.parent)
    };
    numbers.iter().all(|number| {
        let mut parent = parent_of(*number);
        for _ in 0..=joints.len() {
            match parent {
                Some(255) => return true,
                Some(parent_number) => parent = parent_of(parent_number.into()),
                None => return false,
            }
        }
        false
    })
}
