//! Writes arrays of numbers as base64, and other data as JSON, for elements of the page.

use std::io::{self, Write};

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use serde::Serialize;

/// The arrays of numbers in a page.
#[derive(Default)]
pub struct Arrays {
    arrays: Vec<Vec<u8>>,
}

/// A reference to an array of the page: its index and the type of its numbers.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ArrayRef {
    id: usize,
    #[serde(rename = "type")]
    ty: &'static str,
}

impl Arrays {
    pub fn add_bytes(&mut self, bytes: Vec<u8>) -> ArrayRef {
        self.add(bytes, "u8")
    }

    pub fn add_f32(&mut self, values: &[f32]) -> ArrayRef {
        self.add(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            "f32",
        )
    }

    pub fn add_u32(&mut self, values: &[u32]) -> ArrayRef {
        self.add(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            "u32",
        )
    }

    pub fn add_u16(&mut self, values: &[u16]) -> ArrayRef {
        self.add(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            "u16",
        )
    }

    fn add(&mut self, bytes: Vec<u8>, ty: &'static str) -> ArrayRef {
        self.arrays.push(bytes);
        ArrayRef {
            id: self.arrays.len() - 1,
            ty,
        }
    }

    /// Writes a `<script>` element for each array.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (id, bytes) in self.arrays.iter().enumerate() {
            write!(
                out,
                "<script type=\"application/octet-stream;base64\" id=\"array-{id}\">"
            )?;
            let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
            encoder.write_all(bytes)?;
            encoder.finish()?;
            drop(encoder);
            writeln!(out, "</script>")?;
        }
        Ok(())
    }
}

/// Writes data as JSON. Escapes `<`, so that no string can close the enclosing `<script>` element.
pub fn write_json(data: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        serde_json::to_string(data)?
            .replace('<', "\\u003c")
            .as_bytes(),
    )
}
