//! Command-line options that edit the content between reading and writing.

use clap::{Args, ValueEnum};
use meshspec::scene::{Axes, Conventions, Mesh, Pose, Scene, UvOrigin};
use meshspec::{AnyFormat, Loss, path};

/// Edits of the content. With any of them except `--bake` and `--normals=never`, the file is converted to a scene and
/// back, even within the same format.
#[derive(Debug, Args)]
#[command(next_help_heading = "Edits of the content")]
pub struct EditArgs {
    /// The right, up and forward directions of IN, such as `-x,+y,+z`; by default, the convention of its format.
    #[arg(
        long,
        value_name = "RIGHT,UP,FORWARD",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    axes: Option<Axes>,
    /// The right, up and forward directions of OUT; by default, the convention of its format.
    #[arg(
        long,
        value_name = "RIGHT,UP,FORWARD",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    out_axes: Option<Axes>,
    /// The corner of textures with the coordinates (0, 0) in IN; by default, the convention of its format.
    #[arg(long, value_name = "CORNER", value_enum, hide_short_help = true)]
    uv_origin: Option<TextureCorner>,
    /// Apply the transforms of glTF nodes to the vertices, even if OUT has nodes. For formats without nodes, this is
    /// always done; with --bake, it is not listed as a loss.
    #[arg(long, hide_short_help = true)]
    pub bake: bool,
    /// Multiply all lengths by this factor.
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    scale: Option<f64>,
    /// Flip texture coordinates: u becomes 1 − u.
    #[arg(long, hide_short_help = true)]
    flip_u: bool,
    /// Flip texture coordinates: v becomes 1 − v.
    #[arg(long, hide_short_help = true)]
    flip_v: bool,
    /// Merge vertices whose attributes are all equal.
    #[arg(long, hide_short_help = true)]
    weld: bool,
    /// Split polygons into triangles.
    #[arg(long, hide_short_help = true)]
    triangulate: bool,
    /// Generate normals from the faces for meshes without normals. On by default when converting to MESH or BMD from
    /// another format; `never` disables it.
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "always", hide_short_help = true)]
    normals: Option<NormalsMode>,
    /// Move the centre of the scene's bounding box to the origin.
    #[arg(long)]
    center: bool,
    /// The rest pose of OUT: bind, rest (the default), or NAME@SECONDS with the name or number of an animation. In
    /// formats without a rest pose, the pose of the vertices.
    #[arg(long, value_name = "POSE", hide_short_help = true)]
    pose: Option<Pose>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NormalsMode {
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TextureCorner {
    TopLeft,
    BottomLeft,
}

fn parse_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&factor) => {
            Ok(factor)
        }
        _ => Err("expected a number above 0".to_owned()),
    }
}

impl EditArgs {
    /// Returns `true` if no edit other than `--bake` and `--normals=never` is selected.
    pub fn is_empty(&self) -> bool {
        let EditArgs {
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
        let is_any_given =
            axes.is_some() || out_axes.is_some() || uv_origin.is_some() || scale.is_some();
        let is_any_given = is_any_given || self.center || self.pose.is_some();
        !(is_any_given
            || *flip_u
            || *flip_v
            || *weld
            || *triangulate
            || *normals == Some(NormalsMode::Always))
    }

    /// Returns the conventions of the input. `format_conventions` are the conventions of its format.
    pub fn source_conventions(&self, mut format_conventions: Conventions) -> Conventions {
        if let Some(corner) = self.uv_origin {
            format_conventions.evidence = "as given";
            format_conventions.uv_origin = match corner {
                TextureCorner::TopLeft => UvOrigin::TopLeft,
                TextureCorner::BottomLeft => UvOrigin::BottomLeft,
            };
        }
        self.axes.map_or(format_conventions, |axes| {
            format_conventions.with_axes(axes)
        })
    }

    /// Returns the conventions of the output. `format_conventions` are the conventions of its format.
    pub fn target_conventions(&self, format_conventions: Conventions) -> Conventions {
        self.out_axes.map_or(format_conventions, |axes| {
            format_conventions.with_axes(axes)
        })
    }

    /// Edits the scene and adds losses to `losses`. Returns the translation by `--center`, in metres; `None` if the
    /// scene is not moved.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene lacks the animation of `--pose`, or the time is outside the animation.
    pub fn apply(
        &self,
        scene: &mut Scene,
        losses: &mut Vec<Loss>,
    ) -> meshspec::Result<Option<[f64; 3]>> {
        if let Some(pose) = &self.pose {
            scene.set_rest_pose(pose)?;
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
                losses.extend(
                    mesh.triangulate()
                        .map(|loss| loss.within(path!(meshes[index]))),
                );
            }
            if self.weld {
                mesh.weld();
            }
            if self.normals == Some(NormalsMode::Always) && mesh.normals.is_none() {
                mesh.generate_normals();
            }
        }
        Ok(moved)
    }

    /// Unless `--normals` is given, generates missing normals if `format` requires normals and the scene was read from
    /// another format. Returns the number of meshes changed.
    pub fn add_normals(&self, scene: &mut Scene, format: AnyFormat) -> usize {
        let is_same_format = scene
            .source
            .as_ref()
            .is_some_and(|source| source.format == format.name());
        if self.normals.is_some() || is_same_format || !format.needs_normals() {
            return 0;
        }
        let lacks_normals = |mesh: &&mut Mesh| {
            mesh.normals.is_none() && mesh.faces.corner_count(mesh.positions.len()) >= 3
        };
        scene
            .meshes
            .iter_mut()
            .filter(lacks_normals)
            .map(Mesh::generate_normals)
            .count()
    }
}
