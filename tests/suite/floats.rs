//! Floats in JSON.

use meshspec::seed;

/// Parses numbers as floats.
fn read(numbers: &[String]) -> Vec<f32> {
    let rows: Vec<_> = numbers
        .chunks(3)
        .map(|row| format!("[{}]", row.join(",")))
        .collect();
    let json = format!("{{\"positions\": [{}], \"faces\": []}}", rows.join(","));
    let document: seed::Document = serde_json::from_str(&json).unwrap();
    document.positions.into_iter().flatten().collect()
}

#[test]
fn shortest_decimals_round_trip() {
    // Rounded to 64 bits, the number is half-way between two 32-bit floats, so double rounding would yield the wrong
    // one.
    let x = f32::from_bits(0x15ae_43fd);
    assert_eq!((7.038_531e-26_f64 as f32).to_bits(), x.to_bits() + 1);
    // An exact tie still rounds to even.
    let half_way = (1.0 + f64::from(f32::EPSILON) / 2.0).to_string();
    assert_eq!(
        read(&["7.038531e-26".to_owned(), half_way, "0".to_owned()]),
        [x, 1.0, 0.0]
    );
    let floats: Vec<f32> = (0..0x7f80_0000).step_by(9973).map(f32::from_bits).collect();
    let floats = &floats[..floats.len() / 3 * 3];
    let numbers: Vec<String> = floats.iter().map(|x| format!("{x:e}")).collect();
    assert_eq!(read(&numbers), floats);
}
