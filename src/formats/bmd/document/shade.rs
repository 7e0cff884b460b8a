//! Colour/shade bytes.

/// The colours of the sixteen hues at full level.
const HUES: [[u8; 3]; 16] = [
    [0xff, 0xff, 0xff],
    [0xff, 0x55, 0x55],
    [0x55, 0xff, 0x55],
    [0xff, 0xff, 0x55],
    [0x55, 0x55, 0xff],
    [0xff, 0x55, 0xff],
    [0x55, 0xff, 0xff],
    [0x55, 0xaa, 0xff],
    [0xff, 0xaa, 0x55],
    [0xff, 0xaa, 0xaa],
    [0xaa, 0xff, 0xaa],
    [0xff, 0xff, 0xaa],
    [0xaa, 0xaa, 0xff],
    [0xff, 0xaa, 0xff],
    [0xaa, 0xff, 0xff],
    [0xaa, 0x55, 0xff],
];

/// Decodes a colour/shade byte to a colour (red, green, blue): hue in the high, level in the low four bits (B17).
///
/// ```
/// use meshspec::bmd::shade_color;
///
/// assert_eq!(shade_color(0x0f), [255, 255, 255]);
/// assert_eq!(shade_color(0x17), [127, 42, 42]);
/// ```
pub const fn shade_color(code: u8) -> [u8; 3] {
    let [red, green, blue] = HUES[(code >> 4) as usize];
    let level = (code & 15) as u16 + 1;
    [at_level(red, level), at_level(green, level), at_level(blue, level)]
}

/// Scales a channel to a level, 1 to 16.
const fn at_level(channel: u8, level: u16) -> u8 {
    // The product is at most 255 · 16, so the result fits a byte.
    ((channel as u16 * level) >> 4) as u8
}
