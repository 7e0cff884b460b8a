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

/// The colour (red, green, blue) of a colour/shade byte: hue in the high four bits, level in the low four (B17).
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

/// A channel at a level of 1 to 16.
const fn at_level(channel: u8, level: u16) -> u8 {
    // At most 255 · 16 / 16.
    ((channel as u16 * level) >> 4) as u8
}
