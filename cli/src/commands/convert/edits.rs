//! What is done with the content between reading and writing.

use clap::{Args, ValueEnum};
use meshspec::scene::{Axes, Conventions, Scene, UvOrigin};

/// Changes of the content. Any of them makes the conversion go through a scene, even to the same format.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes of the content")]
pub struct Edits {
    /// The directions right, up and forward of IN, as in -x,+y,+z, where the usual ones of its format are wrong.
    #[arg(long, value_name = "RIGHT,UP,FORWARD", allow_hyphen_values = true)]
    axes: Option<Axes>,
    /// The directions right, up and forward of OUT.
    #[arg(long, value_name = "RIGHT,UP,FORWARD", allow_hyphen_values = true)]
    out_axes: Option<Axes>,
    /// Where the texture coordinate (0, 0) of IN is, where the usual place of its format is wrong.
    #[arg(long, value_name = "CORNER", value_enum)]
    uv_origin: Option<Corner>,
    /// Apply the transforms of glTF's nodes to the vertices of their meshes. It is done anyway, but is then no loss.
    #[arg(long)]
    pub bake: bool,
    /// Make everything this many times larger.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f32>,
    /// Turn texture coordinates over: u becomes 1 − u.
    #[arg(long)]
    flip_u: bool,
    /// Turn texture coordinates over: v becomes 1 − v.
    #[arg(long)]
    flip_v: bool,
    /// Merge vertices that are the same in every attribute.
    #[arg(long)]
    weld: bool,
    /// Split faces with more than three corners.
    #[arg(long)]
    triangulate: bool,
    /// Make normals, from the faces, where there are none.
    #[arg(long)]
    normals: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Corner {
    TopLeft,
    BottomLeft,
}

fn factor(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("not a number above 0".to_owned()),
    }
}

impl Edits {
    /// Whether nothing is changed.
    pub fn are_none(&self) -> bool {
        let Edits { axes, out_axes, uv_origin, bake: _, scale, flip_u, flip_v, weld, triangulate, normals } =
            self;
        let told = axes.is_some() || out_axes.is_some() || uv_origin.is_some() || scale.is_some();
        !(told || *flip_u || *flip_v || *weld || *triangulate || *normals)
    }

    /// The conventions of IN, where those of its format are these.
    pub fn source(&self, mut usual: Conventions) -> Conventions {
        if let Some(corner) = self.uv_origin {
            usual.evidence = "as told";
            usual.uv_origin = match corner {
                Corner::TopLeft => UvOrigin::TopLeft,
                Corner::BottomLeft => UvOrigin::BottomLeft,
            };
        }
        self.axes.map_or(usual, |axes| usual.with_axes(axes))
    }

    /// The conventions of OUT, where those of its format are these.
    pub fn target(&self, usual: Conventions) -> Conventions {
        self.out_axes.map_or(usual, |axes| usual.with_axes(axes))
    }

    /// Changes the scene.
    pub fn apply(&self, scene: &mut Scene) {
        if let Some(factor) = self.scale {
            scene.scale(factor);
        }
        for mesh in &mut scene.meshes {
            if self.flip_u {
                mesh.flip_u();
            }
            if self.flip_v {
                mesh.flip_v();
            }
            if self.triangulate {
                mesh.triangulate();
            }
            if self.weld {
                mesh.weld();
            }
            if self.normals && mesh.normals.is_none() {
                mesh.generate_normals();
            }
        }
    }
}
