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

    pub fn add_floats(&mut self, values: &[f32]) -> ArrayRef {
        self.add(values.iter().flat_map(|value| value.to_le_bytes()).collect(), "f32")
    }

    pub fn add_words(&mut self, values: &[u32]) -> ArrayRef {
        self.add(values.iter().flat_map(|value| value.to_le_bytes()).collect(), "u32")
    }

    pub fn add_halves(&mut self, values: &[u16]) -> ArrayRef {
        self.add(values.iter().flat_map(|value| value.to_le_bytes()).collect(), "u16")
    }

    fn add(&mut self, bytes: Vec<u8>, ty: &'static str) -> ArrayRef {
        self.arrays.push(bytes);
        ArrayRef { id: self.arrays.len() - 1, ty }
    }

    /// Writes a `<script>` element for each array.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (id, bytes) in self.arrays.iter().enumerate() {
            write!(out, "<script type=\"application/octet-stream;base64\" id=\"array-{id}\">")?;
            let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
            encoder.write_all(bytes)?;
            encoder.finish()?;
            drop(encoder);
            writeln!(out, "</script>")?;
        }
        Ok(())
    }
}

/// Writes data as JSON. Escapes `<`, U+2028 and U+2029, so that no text can end the element or a line of a script.
pub fn write_json(data: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(data)?;
    let mut rest = &*text;
    while let Some(position) = rest.find(['<', '\u{2028}', '\u{2029}']) {
        let (before, special) = rest.split_at(position);
        let mut characters = special.chars();
        let character = characters.next().map_or(0, u32::from);
        write!(out, "{before}\\u{character:04x}")?;
        rest = characters.as_str();
    }
    out.write_all(rest.as_bytes())
}
