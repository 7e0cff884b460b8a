//! Packed words of BMD, by the specification.

/// Decodes three signed 9-bit fractions with a shared exponent.
pub fn triple(word: u32, is_signed: bool) -> [f32; 3] {
    let unit = 2_f32.powi((word >> 27) as i32 - 22);
    [0, 9, 18].map(|shift| {
        let fraction = (word >> shift & 511) as i32;
        let fraction = if is_signed && fraction > 255 {
            fraction - 512
        } else {
            fraction
        };
        fraction as f32 * unit
    })
}

/// Decodes texture coordinates: two fractions of `width` bits and a shared exponent.
pub fn texture(word: u32, width: u32, divisor: f32, bias: f32, base: f32) -> [f32; 2] {
    let scale = base.powi((word >> (2 * width)) as i32);
    [0, width].map(|shift| {
        let fraction = word >> shift & ((1 << width) - 1);
        (fraction as f32 / divisor - bias) * scale
    })
}

pub fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 => f32::INFINITY,
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    }
}

pub fn f8a(code: u8) -> f32 {
    let (exponent, fraction) = (i32::from(code >> 4 & 7), f32::from(code & 15));
    let magnitude = if code & 127 == 0 {
        0.0
    } else {
        (16.0 + fraction) * 2_f32.powi(exponent - 11)
    };
    if code > 127 { -magnitude } else { magnitude }
}

/// A form of face.
#[derive(Clone, Copy)]
pub struct FaceForm {
    /// Bytes.
    pub size: usize,
    count: u32,
    /// Bits of an index.
    width: u32,
    /// The kinds of faces in which it is allowed.
    pub kinds: &'static [u32],
}

impl FaceForm {
    pub const OF_TAGS: [FaceForm; 4] = [
        FaceForm {
            size: 4,
            count: 3,
            width: 10,
            kinds: &[0, 1],
        },
        FaceForm {
            size: 4,
            count: 4,
            width: 7,
            kinds: &[1],
        },
        FaceForm {
            size: 8,
            count: 3,
            width: 20,
            kinds: &[1, 2, 3],
        },
        FaceForm {
            size: 8,
            count: 4,
            width: 15,
            kinds: &[1, 3],
        },
    ];

    /// The indices, and the bits above them.
    pub fn decode(self, word: u64) -> (Vec<u32>, u64) {
        let index = |corner| (word >> (2 + corner * self.width) & ((1 << self.width) - 1)) as u32;
        let end = 2 + self.count * self.width;
        (
            (0..self.count).map(index).collect(),
            if end < 64 { word >> end } else { 0 },
        )
    }
}
