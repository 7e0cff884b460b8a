//! Compares the conversion of columns, in all formats, with a conversion of single components.

use meshspec::iyma::{Attribute, Component, Usage, VertexFormat};

/// Returns the number that the bytes of a component represent.
fn scalar(component: Component, bytes: &[u8]) -> f64 {
    let unsigned = bytes
        .iter()
        .rev()
        .fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let unused = 64 - 8 * bytes.len() as u32;
    let signed = (unsigned << unused) as i64 >> unused;
    let bits = 8 * bytes.len() as i32;
    match component {
        Component::Float16 => {
            let (sign, exponent, fraction) = (
                unsigned >> 15,
                (unsigned >> 10 & 31) as i32,
                (unsigned & 1023) as f64,
            );
            let value = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            if sign == 1 { -value } else { value }
        }
        Component::Float32 => f32::from_bits(unsigned as u32).into(),
        Component::Float64 => f64::from_bits(unsigned),
        Component::Sint8 | Component::Sint16 | Component::Sint32 => signed as f64,
        Component::Snorm8 | Component::Snorm16 => {
            (signed as f64 / (2f64.powi(bits - 1) - 1.0)).max(-1.0)
        }
        Component::Uint8 | Component::Uint16 | Component::Uint32 => unsigned as f64,
        _ => unsigned as f64 / (2f64.powi(bits) - 1.0),
    }
}

/// Returns test values of a component: all values of one or two bytes, otherwise special floats and numbers near powers
/// of two.
fn edges(component: Component) -> Vec<Vec<u8>> {
    match component.size() {
        1 => (0..=u8::MAX).map(|byte| vec![byte]).collect(),
        2 => (0..=u16::MAX)
            .map(|word| word.to_le_bytes().to_vec())
            .collect(),
        size => {
            let powers = (0..8 * size as u32).map(|bit| 1u64 << bit);
            let words = powers.flat_map(|word| [word - 1, word, word + 1, !word, word | word >> 1]);
            let floats = [
                0.0,
                -0.0,
                1.0,
                f64::MAX,
                f64::MIN_POSITIVE,
                f64::INFINITY,
                f64::NAN,
                1e-40,
                16_777_217.0,
            ];
            let floats: Vec<u64> = match size {
                4 => floats
                    .iter()
                    .map(|x| u64::from((*x as f32).to_bits()))
                    .collect(),
                _ => floats.iter().map(|x| x.to_bits()).collect(),
            };
            words
                .chain(floats)
                .map(|word| word.to_le_bytes()[..size].to_vec())
                .collect()
        }
    }
}

#[test]
fn columns_agree_with_a_scalar_conversion() {
    for format in VertexFormat::ALL {
        let component = format.component();
        if matches!(component, Component::Unorm10x3x2 | Component::Unorm8Bgra) {
            continue;
        }
        let mut bytes = edges(component);
        bytes.truncate(bytes.len() / format.components() * format.components());
        let floats = format.to_f32(&bytes.concat());
        assert_eq!(floats.len(), bytes.len(), "{format:?}");
        for (bytes, float) in bytes.iter().zip(&floats) {
            let expected = scalar(component, bytes) as f32;
            let same = *float == expected || (float.is_nan() && expected.is_nan());
            assert!(
                same,
                "{format:?} {bytes:02x?}: {float}, expected {expected}"
            );
            assert_eq!(
                float.is_sign_negative() && !float.is_nan(),
                expected.is_sign_negative() && !expected.is_nan()
            );
        }
        // Values that a 32-bit float can represent round-trip.
        let lossy = matches!(
            component,
            Component::Float64 | Component::Sint32 | Component::Uint32
        );
        let back = format.from_f32(&floats);
        for (before, after) in bytes.iter().zip(back.chunks_exact(component.size())) {
            let (x, y) = (scalar(component, before), scalar(component, after));
            let is_least = matches!(component, Component::Snorm8 | Component::Snorm16) && x == -1.0;
            let same = before == after || (x.is_nan() && y.is_nan()) || (is_least && y == -1.0);
            let nearly = lossy && (x as f32 == y as f32 || (y - x).abs() <= 1.0);
            assert!(
                same || nearly,
                "{format:?} {before:02x?} came back as {after:02x?}"
            );
        }
    }
}

#[test]
fn packed_colours_and_normals() {
    let packed = VertexFormat::Unorm10_10_10_2;
    let (x, y, z, w) = (1u32, 511u32, 1023u32, 2u32);
    let bytes = (x | y << 10 | z << 20 | w << 30).to_le_bytes();
    assert_eq!(
        packed.to_f32(&bytes),
        [1.0 / 1023.0, 511.0 / 1023.0, 1.0, 2.0 / 3.0]
    );
    for word in (0..u32::MAX).step_by(65_521) {
        assert_eq!(
            packed.from_f32(&packed.to_f32(&word.to_le_bytes())),
            word.to_le_bytes()
        );
    }
    let bgra = VertexFormat::Unorm8x4Bgra;
    assert_eq!(bgra.to_f32(&[255, 0, 51, 102]), [0.2, 0.0, 1.0, 0.4]);
    for byte in 0..=u8::MAX {
        let color = [byte, 255 - byte, byte / 2, 7];
        assert_eq!(bgra.from_f32(&bgra.to_f32(&color)), color);
    }
}

#[test]
fn floats_out_of_range_are_clamped() {
    let floats = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e9,
        -1e9,
        -0.4,
        0.5,
        0.499_999_97,
        2.0,
        -2.0,
    ];
    let cases: [(VertexFormat, &[i64]); 10] = [
        (VertexFormat::Uint8, &[0, 255, 0, 255, 0, 0, 1, 0, 2, 0]),
        (
            VertexFormat::Sint8,
            &[0, 127, -128, 127, -128, 0, 1, 0, 2, -2],
        ),
        (
            VertexFormat::Uint16,
            &[0, 65535, 0, 65535, 0, 0, 1, 0, 2, 0],
        ),
        (
            VertexFormat::Sint16,
            &[0, 32767, -32768, 32767, -32768, 0, 1, 0, 2, -2],
        ),
        (
            VertexFormat::Uint32,
            &[0, 0xffff_ffff, 0, 1_000_000_000, 0, 0, 1, 0, 2, 0],
        ),
        (
            VertexFormat::Sint32,
            &[
                0,
                0x7fff_ffff,
                -0x8000_0000,
                1_000_000_000,
                -1_000_000_000,
                0,
                1,
                0,
                2,
                -2,
            ],
        ),
        (
            VertexFormat::Unorm8,
            &[0, 255, 0, 255, 0, 0, 128, 127, 255, 0],
        ),
        (
            VertexFormat::Snorm8,
            &[0, 127, -127, 127, -127, -51, 64, 63, 127, -127],
        ),
        (
            VertexFormat::Snorm16,
            &[
                0, 32767, -32767, 32767, -32767, -13107, 16384, 16383, 32767, -32767,
            ],
        ),
        (
            VertexFormat::Unorm16,
            &[0, 65535, 0, 65535, 0, 0, 32768, 32767, 65535, 0],
        ),
    ];
    for (format, expected) in cases {
        let bytes = format.from_f32(&floats);
        let numbers: Vec<i64> = bytes
            .chunks_exact(format.size())
            .map(|bytes| {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                let unused = 64 - 8 * bytes.len() as u32;
                let signed = format.name().starts_with('S');
                let word = i64::from_le_bytes(wide);
                if signed {
                    word << unused >> unused
                } else {
                    word
                }
            })
            .collect();
        assert_eq!(numbers, expected, "{format:?}");
    }
}

#[test]
fn packed_components_are_clamped_alike() {
    let floats = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e9,
        -0.1,
        -2.0,
        1.1,
        0.5,
    ];
    for value in floats.iter().flat_map(|a| floats.map(|b| [*a, b, *a, b])) {
        let limited = value.map(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) });
        for format in [VertexFormat::Unorm10_10_10_2, VertexFormat::Unorm8x4Bgra] {
            assert_eq!(
                format.from_f32(&value),
                format.from_f32(&limited),
                "{format:?} {value:?}"
            );
        }
    }
}

#[test]
fn partial_values_are_ignored() {
    for format in VertexFormat::ALL {
        let (size, components) = (format.size(), format.components());
        for spare in 0..size {
            assert_eq!(
                format.to_f32(&vec![0; 2 * size + spare]),
                vec![0.0; 2 * components],
                "{format:?}"
            );
        }
        for spare in 0..components {
            let floats = vec![0.0; 2 * components + spare];
            assert_eq!(format.from_f32(&floats), vec![0; 2 * size], "{format:?}");
        }
    }
}

#[test]
fn the_length_of_an_attribute_counts_values() {
    for (count, is_empty) in [(0, true), (1, false), (4, false)] {
        let values = vec![0.5; 3 * count];
        let attribute = Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &values);
        assert_eq!((attribute.len(), attribute.is_empty()), (count, is_empty));
    }
}
