//! IyMA samples with every usage and every vertex format.

use meshspec::iyma::{Attribute, Document, IndexBuffer, Usage, VertexFormat};
use meshspec::{Dialect, Result};

const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Returns a triangle with 32-bit indices and an attribute for each usage of the dialect.
pub fn usages(dialect: Dialect) -> Result<Document> {
    let mut attributes = vec![
        position(),
        Attribute::from_f32(
            Usage::Normal,
            VertexFormat::Float32x3,
            &[0.0, 0.0, 1.0].repeat(3),
        ),
        Attribute::from_f32(
            Usage::Tangent,
            VertexFormat::Float32x4,
            &[1.0, 0.0, 0.0, 1.0].repeat(3),
        ),
        Attribute::from_f32(
            Usage::Color,
            VertexFormat::Unorm8x4,
            &[1.0, 0.5, 0.25, 1.0].repeat(3),
        ),
        Attribute::from_f32(
            Usage::Uv,
            VertexFormat::Float32x2,
            &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        ),
        Attribute::from_f32(
            Usage::JointIndex,
            VertexFormat::Uint8x4,
            &[0.0, 1.0, 2.0, 3.0].repeat(3),
        ),
        Attribute::from_f32(
            Usage::JointWeight,
            VertexFormat::Unorm8x4,
            &[0.6, 0.2, 0.2, 0.0].repeat(3),
        ),
    ];
    attributes.push(match dialect {
        // Only the specification's dialect has named usages; only the reference dialect has a second set of texture
        // coordinates.
        Dialect::REFERENCE => Attribute::from_f32(
            Usage::Uv1,
            VertexFormat::Unorm16x2,
            &[0.0, 0.0, 0.5, 0.0, 0.0, 0.5],
        ),
        _ => Attribute::from_f32(
            Usage::Custom(1, "heat".into()),
            VertexFormat::Float32,
            &[0.0, 0.5, 1.0],
        ),
    });
    let document = Document::from_mesh(Some(IndexBuffer::from_u32(&[0, 1, 2])), attributes)?;
    Ok(Document {
        dialect,
        ..document
    })
}

/// Returns a triangle without indices, with a custom attribute for each vertex format.
pub fn formats(dialect: Dialect) -> Result<Document> {
    let custom = |(id, format): (u32, &VertexFormat)| {
        let name = if dialect == Dialect::REFERENCE {
            String::new()
        } else {
            format.name().to_owned()
        };
        // Values that a format cannot represent are rounded.
        let values: Vec<f32> = (0..3 * format.components())
            .map(|i| (i % 4) as f32 / 2.0)
            .collect();
        Attribute::from_f32(Usage::Custom(id, name), *format, &values)
    };
    let customs = (0..).zip(VertexFormat::ALL).map(custom);
    let document = Document::from_mesh(None, [position()].into_iter().chain(customs).collect())?;
    Ok(Document {
        dialect,
        ..document
    })
}

fn position() -> Attribute {
    Attribute::from_f32(
        Usage::Position,
        VertexFormat::Float32x3,
        CORNERS.as_flattened(),
    )
}
