//! Poses of joints, read and written in bulk.

use binrw::io::{Read, Seek, Write};
use binrw::{BinResult, Endian, VecArgs};
use bytemuck::{Pod, Zeroable};
use meshspec_derive::Layout;

use crate::Dialect;
use crate::bulk;

/// The pose of a joint at one time, in the layout of either dialect.
#[derive(Layout)]
#[br(import(dialect: Dialect))]
pub enum PoseEntry {
    /// 44 bytes.
    #[br(pre_assert(dialect == Dialect::SPEC))]
    Spec(Pose),
    /// 41 bytes.
    #[br(pre_assert(dialect == Dialect::RENDERLIB))]
    Renderlib(RenderlibPose),
}

/// The pose of a joint at one time: 44 bytes.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pose {
    /// The joint (M11).
    pub joint: u32,
    /// Position (X, Y, Z).
    pub position: [f32; 3],
    /// Rotation quaternion (W, X, Y, Z) (M15).
    #[layout(unit_vector, plausible)]
    pub rotation: [f32; 4],
    /// Scale (X, Y, Z).
    pub scale: [f32; 3],
}

/// The pose of a joint at one time, in the renderlib dialect: 41 bytes.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct RenderlibPose {
    /// The joint.
    pub joint: u8,
    /// Position (X, Y, Z).
    pub position: [f32; 3],
    /// Rotation quaternion (W, X, Y, Z).
    #[layout(unit_vector, plausible)]
    pub rotation: [f32; 4],
    /// Scale (X, Y, Z).
    pub scale: [f32; 3],
}

impl From<RenderlibPose> for Pose {
    fn from(pose: RenderlibPose) -> Pose {
        let RenderlibPose {
            joint,
            position,
            rotation,
            scale,
        } = pose;
        Pose {
            joint: joint.into(),
            position,
            rotation,
            scale,
        }
    }
}

/// Converts a pose; returns an error if the joint does not fit in 8 bits.
impl TryFrom<Pose> for RenderlibPose {
    type Error = std::num::TryFromIntError;

    fn try_from(pose: Pose) -> Result<RenderlibPose, Self::Error> {
        let Pose {
            joint,
            position,
            rotation,
            scale,
        } = pose;
        Ok(RenderlibPose {
            joint: joint.try_into()?,
            position,
            rotation,
            scale,
        })
    }
}

pub(super) fn read<R: Read + Seek>(
    reader: &mut R,
    endian: Endian,
    args: VecArgs<(Dialect,)>,
) -> BinResult<Vec<Pose>> {
    let ((dialect,), args) = (
        args.inner,
        VecArgs {
            count: args.count,
            inner: (),
        },
    );
    match dialect {
        Dialect::RENDERLIB => {
            let poses: Vec<RenderlibPose> = bulk::read(reader, endian, args)?;
            Ok(poses.into_iter().map(Pose::from).collect())
        }
        _ => bulk::read(reader, endian, args),
    }
}

pub(super) fn write<W: Write + Seek>(
    poses: &Vec<Pose>,
    writer: &mut W,
    endian: Endian,
    (dialect,): (Dialect,),
) -> BinResult<()> {
    if dialect != Dialect::RENDERLIB {
        return bulk::write(poses, writer, endian, ());
    }
    match poses
        .iter()
        .copied()
        .map(RenderlibPose::try_from)
        .collect::<Result<Vec<_>, _>>()
    {
        Ok(poses) => bulk::write(&poses, writer, endian, ()),
        Err(error) => Err(binrw::Error::Custom {
            pos: writer.stream_position()?,
            err: Box::new(error),
        }),
    }
}
