//! The baseline of the BMD rows: decoders and an encoder with hand-written shifts and masks.

/// Columns with a total of 37 bytes per vertex.
#[derive(Default, PartialEq, Debug)]
pub struct Columns {
    pub positions: Vec<[f32; 3]>,
    pub st: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    pub colors: Vec<[u8; 4]>,
    pub bones: Vec<u8>,
}

/// Lookup tables for small floats and colours.
pub struct Tables {
    pub f8a: [f32; 256],
    pub colors: [[u8; 4]; 256],
}

impl Columns {
    pub fn with_capacity(len: usize) -> Columns {
        Columns {
            positions: Vec::with_capacity(len),
            st: Vec::with_capacity(len),
            normals: Vec::with_capacity(len),
            colors: Vec::with_capacity(len),
            bones: Vec::with_capacity(len),
        }
    }

    fn push(
        &mut self,
        position: [f32; 3],
        st: [f32; 2],
        normal: [f32; 3],
        color: [u8; 4],
        bone: u8,
    ) {
        self.positions.push(position);
        self.st.push(st);
        self.normals.push(normal);
        self.colors.push(color);
        self.bones.push(bone);
    }
}

const WHITE: [u8; 4] = [255; 4];

fn decode_triple(word: u32) -> [f32; 3] {
    let unit = f32::from_bits(((word >> 27) + 105) << 23);
    [
        ((word << 23) as i32 >> 23) as f32 * unit,
        ((word << 14) as i32 >> 23) as f32 * unit,
        ((word << 5) as i32 >> 23) as f32 * unit,
    ]
}

/// Decodes texture coordinates of 11 bits each, with a common exponent of 2 bits.
fn decode_scaled_st(word: u32) -> [f32; 2] {
    let scale = (1u32 << (word >> 21 & 6)) as f32;
    [
        ((word & 0x7ff) as f32 / 1024.0 - 0.5) * scale,
        ((word >> 11 & 0x7ff) as f32 / 1024.0 - 0.5) * scale,
    ]
}

fn decode_normal(word: u32, tables: &Tables) -> [f32; 3] {
    [
        tables.f8a[(word & 0xff) as usize],
        tables.f8a[(word >> 8 & 0xff) as usize],
        tables.f8a[(word >> 16 & 0xff) as usize],
    ]
}

fn normalized_position(word: u32) -> [f32; 3] {
    let x = f64::from((word << 23) as i32 >> 23);
    let y = f64::from((word << 14) as i32 >> 23);
    let z = f64::from((word << 5) as i32 >> 23);
    let square = x * x + y * y + z * z;
    let scale = if square == 0.0 {
        0.0
    } else {
        1.0 / square.sqrt()
    };
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
}

/// Decodes all `len` vertices, of any size. If `is_flat`, 64-bit vertices have normals instead of texture coordinates.
pub fn decode_vertices(words: &[u32], is_flat: bool, len: usize, tables: &Tables) -> Columns {
    let mut columns = Columns::with_capacity(len);
    let mut at = 0;
    while at + 1 < words.len() {
        let (low, high) = (words[at], words[at + 1]);
        let tag = high >> 24;
        if tag < 0xf0 {
            if is_flat {
                columns.push(
                    decode_triple(low),
                    [0.0; 2],
                    decode_normal(high, tables),
                    WHITE,
                    tag as u8,
                );
            } else {
                columns.push(
                    decode_triple(low),
                    decode_scaled_st(high),
                    normalized_position(low),
                    WHITE,
                    tag as u8,
                );
            }
            at += 2;
        } else if tag < 0xfc {
            let third = words[at + 2];
            let st = if tag & 1 == 0 {
                [
                    (high & 0xfff) as f32 / 2048.0 - 0.5,
                    (high >> 12 & 0xfff) as f32 / 2048.0 - 0.5,
                ]
            } else {
                decode_scaled_st(high)
            };
            let last = (third >> 24) as u8;
            let color = if tag & 0xfe == 0xf8 {
                tables.colors[last as usize]
            } else {
                WHITE
            };
            let bone = if tag & 0xfe == 0xfa { last } else { 0 };
            columns.push(
                decode_triple(low),
                st,
                decode_normal(third, tables),
                color,
                bone,
            );
            at += 3;
        } else {
            let (third, fourth) = (words[at + 2], words[at + 3]);
            let binary16 = |bits: u32| half::f16::from_bits(bits as u16).to_f32();
            let position = [binary16(low), binary16(low >> 16), binary16(high)];
            let scale = (1u32 << (third >> 28)) as f32;
            let st = [
                ((third & 0x3fff) as f32 / 4096.0 - 2.0) * scale,
                ((third >> 14 & 0x3fff) as f32 / 4096.0 - 2.0) * scale,
            ];
            let color = tables.colors[(high >> 16 & 0xff) as usize];
            columns.push(
                position,
                st,
                decode_normal(fourth, tables),
                color,
                (fourth >> 24) as u8,
            );
            at += 4;
        }
    }
    columns
}

/// Decodes all `len` faces as triangles. A quad becomes two triangles.
pub fn decode_triangles(words: &[u32], len: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * len);
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        match word & 3 {
            0 => triangles.push([word >> 2 & 0x3ff, word >> 12 & 0x3ff, word >> 22]),
            1 => {
                let [a, b, c, d] = [
                    word >> 2 & 0x7f,
                    word >> 9 & 0x7f,
                    word >> 16 & 0x7f,
                    word >> 23 & 0x7f,
                ];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
            tag => {
                let wide = u64::from(words[at + 1]) << 32 | u64::from(word);
                if tag == 2 {
                    triangles.push([wide >> 2, wide >> 22, wide >> 42].map(|v| v as u32 & 0xfffff));
                } else {
                    let [a, b, c, d] =
                        [wide >> 2, wide >> 17, wide >> 32, wide >> 47].map(|v| v as u32 & 0x7fff);
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
                at += 1;
            }
        }
        at += 1;
    }
    triangles.shrink_to_fit();
    triangles
}

/// Encodes triples, trying exponents from the smallest possible one.
pub fn encode_triples(values: &[[f32; 3]]) -> Vec<u32> {
    let mut words = Vec::with_capacity(values.len());
    for values in values {
        let largest = values.iter().fold(0f32, |most, x| most.max(x.abs()));
        let mut exponent = (largest.to_bits() >> 23).saturating_sub(113).min(31);
        let word = loop {
            let scale = f32::from_bits((149 - exponent) << 23);
            let [x, y, z] =
                values.map(|x| (x * scale + 12_582_912.0).to_bits() as i32 - 0x4b40_0000);
            if exponent == 31 || [x, y, z].iter().all(|x| (-256..256).contains(x)) {
                let [x, y, z] = [x, y, z].map(|x| x as u32 & 0x1ff);
                break exponent << 27 | z << 18 | y << 9 | x;
            }
            exponent += 1;
        };
        words.push(word);
    }
    words
}
