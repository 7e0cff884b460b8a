//! A Crucible loader like that of an engine, written from the specification alone, with bugs that can be enabled.

use meshspec::Dialect;

/// Typical bugs of engine loaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Indices are not checked.
    UncheckedIndices,
    /// An index may equal the number of vertices.
    IndexAtEnd,
    /// Accepts several streams of one attribute.
    Duplicates,
    /// Accepts streams of different lengths.
    UnequalCounts,
    /// Ignores unknown bits of an attribute.
    ReservedBits,
    /// Treats negative sizes as 0.
    NegativeSizes,
    /// Treats a packed size of 0 as no data.
    EmptyBlocks,
    /// Accepts a block that unpacks to fewer bytes than stated.
    ShortBlocks,
    /// Rounds sizes down to whole values.
    PartialValues,
    /// Treats every index size except 0 as 32 bits.
    AnyIndexSize,
    /// Ignores trailing bytes.
    Trailing,
    /// Ignores the length of a chunk in a container.
    ChunkLength,
    /// Reads 16-bit indices as big-endian.
    BigEndianIndices,
    /// Reads the influences of a vertex after its four bones.
    SplitBoneWeights,
    /// Flushes subnormal numbers to 0.
    Subnormals,
}

impl Bug {
    pub const ALL: [Bug; 15] = [
        Bug::UncheckedIndices,
        Bug::IndexAtEnd,
        Bug::Duplicates,
        Bug::UnequalCounts,
        Bug::ReservedBits,
        Bug::NegativeSizes,
        Bug::EmptyBlocks,
        Bug::ShortBlocks,
        Bug::PartialValues,
        Bug::AnyIndexSize,
        Bug::Trailing,
        Bug::ChunkLength,
        Bug::BigEndianIndices,
        Bug::SplitBoneWeights,
        Bug::Subnormals,
    ];
}

/// A loaded chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    pub indices: Vec<u32>,
    pub streams: Vec<Stream>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    pub attribute: Attribute,
    /// Floats as bits, in file order.
    pub values: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    Position3d,
    Position2d,
    Normal,
    Uv,
    Tangent,
    Color,
    BoneWeights,
}

impl Attribute {
    /// Bytes per vertex.
    fn size(self) -> usize {
        match self {
            Attribute::Position3d | Attribute::Normal | Attribute::Tangent => 12,
            Attribute::Position2d | Attribute::Uv => 8,
            Attribute::Color => 4,
            Attribute::BoneWeights => 24,
        }
    }
}

/// Loads a file.
pub fn load(bytes: &[u8], dialect: Dialect, bug: Option<Bug>) -> Result<Vec<Mesh>, &'static str> {
    let mut loader = Loader {
        bytes,
        is_tangent: dialect == Dialect::TANGENT,
        bug,
    };
    let meshes = match bytes.strip_prefix(b"cmodel\n") {
        None => vec![loader.read_chunk()?],
        Some(rest) => {
            loader.bytes = rest;
            let count = u32::from_le_bytes(loader.take_array()?);
            let mut meshes = Vec::new();
            for _ in 0..count {
                meshes.push(loader.read_sized_chunk()?);
            }
            meshes
        }
    };
    if !loader.bytes.is_empty() && !loader.has_bug(Bug::Trailing) {
        return Err("trailing bytes");
    }
    Ok(meshes)
}

struct Loader<'b> {
    /// The remaining bytes.
    bytes: &'b [u8],
    is_tangent: bool,
    bug: Option<Bug>,
}

impl<'b> Loader<'b> {
    fn has_bug(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], &'static str> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or("truncated")?;
        self.bytes = rest;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        Ok(self.take(N)?.try_into().unwrap())
    }

    fn read_sized_chunk(&mut self) -> Result<Mesh, &'static str> {
        let length = u64::from_le_bytes(self.take_array()?);
        if self.has_bug(Bug::ChunkLength) {
            return self.read_chunk();
        }
        let bytes = self.take(usize::try_from(length).map_err(|_| "truncated")?)?;
        let mut inner = Loader { bytes, ..*self };
        let mesh = inner.read_chunk()?;
        if inner.bytes.is_empty() || self.has_bug(Bug::Trailing) {
            Ok(mesh)
        } else {
            Err("trailing bytes")
        }
    }

    fn read_chunk(&mut self) -> Result<Mesh, &'static str> {
        let [index_size] = self.take_array()?;
        if index_size > 1 && !self.has_bug(Bug::AnyIndexSize) {
            return Err("bad index size");
        }
        let indices = self.read_block()?;
        let [count] = self.take_array()?;
        let mut mesh = Mesh {
            indices: self.decode_indices(&indices, index_size)?,
            streams: Vec::new(),
        };
        let mut vertices = None;
        for _ in 0..count {
            let (stream, length) = self.read_stream()?;
            if mesh
                .streams
                .iter()
                .any(|other| other.attribute == stream.attribute)
                && !self.has_bug(Bug::Duplicates)
            {
                return Err("duplicate stream");
            }
            if *vertices.get_or_insert(length) != length && !self.has_bug(Bug::UnequalCounts) {
                return Err("streams of different lengths");
            }
            mesh.streams.push(stream);
        }
        let is_inside = |index: &u32| {
            let index = *index as usize;
            vertices.is_none_or(|vertices| {
                index < vertices || self.has_bug(Bug::IndexAtEnd) && index == vertices
            })
        };
        if !self.has_bug(Bug::UncheckedIndices) && !mesh.indices.iter().all(is_inside) {
            return Err("index out of range");
        }
        Ok(mesh)
    }

    fn decode_indices(&self, bytes: &[u8], index_size: u8) -> Result<Vec<u32>, &'static str> {
        let width = if index_size == 0 { 2 } else { 4 };
        if !bytes.len().is_multiple_of(width) && !self.has_bug(Bug::PartialValues) {
            return Err("partial index");
        }
        let index = |bytes: &[u8]| match *bytes {
            [a, b] if self.has_bug(Bug::BigEndianIndices) => u16::from_be_bytes([a, b]).into(),
            [a, b] => u16::from_le_bytes([a, b]).into(),
            _ => le_word(bytes),
        };
        Ok(bytes.chunks_exact(width).map(index).collect())
    }

    fn read_stream(&mut self) -> Result<(Stream, usize), &'static str> {
        let attribute = self.read_attribute()?;
        let bytes = self.read_block()?;
        if !bytes.len().is_multiple_of(attribute.size()) && !self.has_bug(Bug::PartialValues) {
            return Err("partial value");
        }
        let mut values = Vec::new();
        for vertex in bytes.chunks_exact(attribute.size()) {
            match attribute {
                Attribute::Color => values.extend(vertex.iter().map(|byte| u32::from(*byte))),
                Attribute::BoneWeights => {
                    for slot in 0..4 {
                        let (bone, influence) = match self.has_bug(Bug::SplitBoneWeights) {
                            true => (2 * slot, 8 + 4 * slot),
                            false => (6 * slot, 6 * slot + 2),
                        };
                        values.push(u16::from_le_bytes([vertex[bone], vertex[bone + 1]]).into());
                        values.push(self.decode_float(&vertex[influence..influence + 4]));
                    }
                }
                _ => values.extend(vertex.chunks_exact(4).map(|bytes| self.decode_float(bytes))),
            }
        }
        Ok((Stream { attribute, values }, bytes.len() / attribute.size()))
    }

    fn read_attribute(&mut self) -> Result<Attribute, &'static str> {
        let mut bits = u16::from_le_bytes(self.take_array()?);
        if self.has_bug(Bug::ReservedBits) {
            bits &= if self.is_tangent { 0x7f } else { 0x3f };
        }
        Ok(match (bits, self.is_tangent) {
            (1, _) => Attribute::Position3d,
            (2, _) => Attribute::Position2d,
            (4, _) => Attribute::Normal,
            (8, _) => Attribute::Uv,
            (16, true) => Attribute::Tangent,
            (16, false) | (32, true) => Attribute::Color,
            (32, false) | (64, true) => Attribute::BoneWeights,
            _ => return Err("unknown attribute"),
        })
    }

    fn decode_float(&self, bytes: &[u8]) -> u32 {
        match le_word(bytes) {
            bits if self.has_bug(Bug::Subnormals) && f32::from_bits(bits).is_subnormal() => 0,
            bits => bits,
        }
    }

    fn read_block(&mut self) -> Result<Vec<u8>, &'static str> {
        let packed = i32::from_le_bytes(self.take_array()?);
        let mut size = i32::from_le_bytes(self.take_array()?);
        if self.has_bug(Bug::NegativeSizes) {
            size = size.max(0);
        }
        if self.has_bug(Bug::EmptyBlocks) && packed == 0 && size == 0 {
            return Ok(Vec::new());
        }
        let size = usize::try_from(size).map_err(|_| "negative size")?;
        if packed <= 0 {
            return Err("no packed data");
        }
        let mut unpacked = unpack(self.take(packed as usize)?, size)?;
        if self.has_bug(Bug::ShortBlocks) {
            unpacked.resize(size, 0);
        }
        if unpacked.len() == size {
            Ok(unpacked)
        } else {
            Err("wrong size")
        }
    }
}

fn le_word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Unpacks a raw LZ4 block to at most `max` bytes.
fn unpack(mut block: &[u8], max: usize) -> Result<Vec<u8>, &'static str> {
    let mut out: Vec<u8> = Vec::new();
    loop {
        let token = take_byte(&mut block)?;
        let literals = read_length(token >> 4, &mut block)?;
        let (copied, rest) = block
            .split_at_checked(literals)
            .ok_or("truncated literals")?;
        out.extend_from_slice(copied);
        block = rest;
        if out.len() > max {
            return Err("too much data");
        }
        if block.is_empty() {
            return Ok(out);
        }
        let distance =
            usize::from(take_byte(&mut block)?) | usize::from(take_byte(&mut block)?) << 8;
        let matched = read_length(token & 15, &mut block)? + 4;
        let start = out
            .len()
            .checked_sub(distance)
            .filter(|_| distance > 0)
            .ok_or("bad distance")?;
        if out.len() + matched > max {
            return Err("too much data");
        }
        for place in start..start + matched {
            out.push(out[place]);
        }
    }
}

fn take_byte(block: &mut &[u8]) -> Result<u8, &'static str> {
    let (first, rest) = block.split_first().ok_or("truncated block")?;
    *block = rest;
    Ok(*first)
}

fn read_length(nibble: u8, block: &mut &[u8]) -> Result<usize, &'static str> {
    let mut length = usize::from(nibble);
    let mut has_more = nibble == 15;
    while has_more {
        let byte = take_byte(block)?;
        length += usize::from(byte);
        has_more = byte == 255;
    }
    Ok(length)
}
