//! Edits of the content between reading and writing.

use clap::{Args, ValueEnum};
use meshspec::scene::{Axes, Conventions, Mesh, Pose, Scene, UvOrigin};
use meshspec::{AnyFormat, Loss, path};

/// Edits of the content. Any of them makes the conversion go through a scene, even to the same format.
#[derive(Debug, Args)]
#[command(next_help_heading = "Edits of the content")]
pub struct Edits {
    /// The directions right, up and forward of IN, `-x,+y,+z`, if they are not the usual ones of its format.
    #[arg(long, value_name = "RIGHT,UP,FORWARD", allow_hyphen_values = true, hide_short_help = true)]
    axes: Option<Axes>,
    /// The directions right, up and forward of OUT.
    #[arg(long, value_name = "RIGHT,UP,FORWARD", allow_hyphen_values = true, hide_short_help = true)]
    out_axes: Option<Axes>,
    /// The corner of textures that has the coordinate (0, 0) in IN, if it is not the usual one of its format.
    #[arg(long, value_name = "CORNER", value_enum, hide_short_help = true)]
    uv_origin: Option<Corner>,
    /// Apply the transforms of glTF nodes to the vertices, also where OUT has nodes. Formats without nodes always do; with
    /// --bake it is not listed as a loss.
    #[arg(long, hide_short_help = true)]
    pub bake: bool,
    /// Multiply all lengths by this factor.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f64>,
    /// Flip texture coordinates: u becomes 1 − u.
    #[arg(long, hide_short_help = true)]
    flip_u: bool,
    /// Flip texture coordinates: v becomes 1 − v.
    #[arg(long, hide_short_help = true)]
    flip_v: bool,
    /// Merge vertices that are equal in every attribute.
    #[arg(long, hide_short_help = true)]
    weld: bool,
    /// Split polygons into triangles.
    #[arg(long, hide_short_help = true)]
    triangulate: bool,
    /// Generate normals from the faces for meshes that have none. On by default when converting to MESH and BMD from
    /// another format; `never` disables it.
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "always", hide_short_help = true)]
    normals: Option<Normals>,
    /// Move the scene so that the centre of the box around it is at the origin.
    #[arg(long)]
    center: bool,
    /// The pose in which the scene rests, and in which formats without a rest pose have the vertices: bind, rest (the
    /// default), or NAME@SECONDS with the name or the number of an animation.
    #[arg(long, value_name = "POSE", hide_short_help = true)]
    pose: Option<Pose>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Normals {
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Corner {
    TopLeft,
    BottomLeft,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&factor) => Ok(factor),
        _ => Err("expected a number above 0".to_owned()),
    }
}

impl Edits {
    /// Returns `true` if no edit is selected.
    pub fn are_none(&self) -> bool {
        let Edits {
            axes,
            out_axes,
            uv_origin,
            bake: _,
            scale,
            flip_u,
            flip_v,
            weld,
            triangulate,
            normals,
            ..
        } = self;
        let given = axes.is_some() || out_axes.is_some() || uv_origin.is_some() || scale.is_some();
        let given = given || self.center || self.pose.is_some();
        !(given || *flip_u || *flip_v || *weld || *triangulate || *normals == Some(Normals::Always))
    }

    /// Returns the conventions of IN, given those of its format.
    pub fn source(&self, mut usual: Conventions) -> Conventions {
        if let Some(corner) = self.uv_origin {
            usual.evidence = "as given";
            usual.uv_origin = match corner {
                Corner::TopLeft => UvOrigin::TopLeft,
                Corner::BottomLeft => UvOrigin::BottomLeft,
            };
        }
        self.axes.map_or(usual, |axes| usual.with_axes(axes))
    }

    /// Returns the conventions of OUT, given those of its format.
    pub fn target(&self, usual: Conventions) -> Conventions {
        self.out_axes.map_or(usual, |axes| usual.with_axes(axes))
    }

    /// Edits the scene and lists the losses. Returns the translation by `--center`.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene has no such animation, or the time is outside of it.
    pub fn apply(&self, scene: &mut Scene, losses: &mut Vec<Loss>) -> meshspec::Result<Option<[f64; 3]>> {
        if let Some(pose) = &self.pose {
            scene.rest_in(pose)?;
        }
        let moved = if self.center { scene.center() } else { None };
        if let Some(factor) = self.scale {
            scene.scale(factor);
        }
        for (index, mesh) in scene.meshes.iter_mut().enumerate() {
            if self.flip_u {
                mesh.flip_u();
            }
            if self.flip_v {
                mesh.flip_v();
            }
            if self.triangulate {
                losses.extend(mesh.triangulate().map(|loss| loss.within(path!(meshes[index]))));
            }
            if self.weld {
                mesh.weld();
            }
            if self.normals == Some(Normals::Always) && mesh.normals.is_none() {
                mesh.generate_normals();
            }
        }
        Ok(moved)
    }

    /// Generates the normals that this format needs, if the scene comes from another format. Returns the number of
    /// meshes changed.
    pub fn add_normals(&self, scene: &mut Scene, format: AnyFormat) -> usize {
        let is_own = scene.source.as_ref().is_some_and(|source| source.format == format.name());
        if self.normals.is_some() || is_own || !format.needs_normals() {
            return 0;
        }
        let has_none =
            |mesh: &&mut Mesh| mesh.normals.is_none() && mesh.faces.corner_count(mesh.positions.len()) >= 3;
        scene.meshes.iter_mut().filter(has_none).map(Mesh::generate_normals).count()
    }
}
