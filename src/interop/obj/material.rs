//! MTL: the names of materials, their diffuse colours and the images of these.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use crate::interop::text::{Words, lines, to_line};
use crate::scene::{Material, Mesh};
use crate::{Loss, Result};

/// What OBJ files refer to by name.
pub(super) type Materials = HashMap<Vec<u8>, Look>;

/// The diffuse colour of a material and the name of its image.
#[derive(Default)]
pub(super) struct Look {
    pub color: Option<[u8; 3]>,
    pub texture: Option<Vec<u8>>,
}

/// Number of other keywords that are listed.
const MAX_OTHERS: usize = 20;

/// Number of wrong colours after which a library is not read any further: finding the line of each takes time.
const MAX_MALFORMED: usize = 100;

/// Decimals of six digits are off by this much.
const DECIMALS: f32 = 0.5e-6;

/// Adds the materials of a library. The first of each name counts.
pub(super) fn read(text: &[u8], library: &str, materials: &mut Materials, losses: &mut Vec<Loss>) {
    let mut wrong = Vec::new();
    let mut others = BTreeSet::new();
    let mut worst = 0.0_f32;
    let mut current: &[u8] = &[];
    for mut words in lines(text) {
        match words.next() {
            Some(b"newmtl") => {
                current = words.rest_of_line();
                materials.entry(current.to_vec()).or_default();
            }
            Some(b"Kd") if !matches!(words.clone().next(), Some(b"spectral" | b"xyz")) => {
                match (color(&mut words), materials.get_mut(current)) {
                    (Ok((color, error)), Some(slot)) => {
                        worst = worst.max(error);
                        slot.color.get_or_insert(color);
                    }
                    (Ok(_), None) => {}
                    (Err(error), _) => wrong.push(error),
                }
                if wrong.len() == MAX_MALFORMED {
                    break;
                }
            }
            Some(b"map_Kd") => {
                let name = image(&mut words);
                if let Some(slot) = materials.get_mut(current).filter(|_| !name.is_empty()) {
                    slot.texture.get_or_insert(name.to_vec());
                }
            }
            Some(word) if !word.starts_with(b"#") && others.len() < MAX_OTHERS => {
                others.insert(word.escape_ascii().to_string());
            }
            _ => {}
        }
    }
    if let Some(first) = wrong.first() {
        let detail = format!("{}, the first at {first}", wrong.len());
        losses.push(Loss::dropped(library, "malformed colours").detail(detail));
        if wrong.len() == MAX_MALFORMED {
            losses.push(Loss::dropped(library, "everything after too many malformed colours"));
        }
    }
    if !others.is_empty() {
        let others: Vec<_> = others.into_iter().collect();
        let message = "materials of scenes have a name, a base colour and its texture only";
        losses.push(Loss::dropped(library, message).detail(others.join(", ")));
    }
    if worst > DECIMALS {
        losses.push(Loss::quantised(library, "base colours rounded to 8 bits", worst));
    }
}

/// The name of an image, behind its options.
fn image<'a>(words: &mut Words<'a>) -> &'a [u8] {
    loop {
        let name = words.clone();
        let values = match words.next() {
            Some(b"-mm") => 2,
            Some(
                b"-blendu" | b"-blendv" | b"-boost" | b"-bm" | b"-cc" | b"-clamp" | b"-imfchan" | b"-texres",
            ) => 1,
            // Up to three numbers.
            Some(b"-o" | b"-s" | b"-t") => {
                while words.clone().number("an option").is_ok() {
                    words.next();
                }
                0
            }
            _ => {
                *words = name;
                return words.rest_of_line();
            }
        };
        for _ in 0..values {
            words.next();
        }
    }
}

/// A colour in bytes, and how far that is from it. Green and blue may be left out where they are the same as red.
fn color(words: &mut Words) -> Result<([u8; 3], f32)> {
    let red = words.number("the red of the colour")?;
    let [green, blue] = match words.optional()? {
        Some(green) => [green, words.number("the blue of the colour")?],
        None => [red, red],
    };
    let mut worst = 0.0_f32;
    let bytes = [red, green, blue].map(|channel| {
        // A saturating cast; not-a-number becomes 0.
        let byte = (channel * 255.0).round() as u8;
        worst = worst.max((channel - f32::from(byte) / 255.0).abs());
        byte
    });
    Ok((bytes, worst))
}

/// The materials of these meshes as a library; gives each mesh the name that the library has for its material.
pub(super) fn collect(meshes: &mut [Mesh], losses: &mut Vec<Loss>) -> Vec<Material> {
    let mut library: Vec<Material> = Vec::new();
    let mut places: HashMap<Material, usize> = HashMap::new();
    let mut names = BTreeSet::new();
    for (index, mesh) in meshes.iter_mut().enumerate() {
        let material = mesh.material.clone();
        // Once there is a material, it holds for all that follows that has no other.
        if material == Default::default() && library.is_empty() {
            continue;
        }
        let place = *places.entry(material).or_insert_with_key(|material| {
            let preferred = match (&*to_line(&material.name), material.color) {
                ("", Some([red, green, blue])) => format!("color_{red:02x}{green:02x}{blue:02x}"),
                ("", None) => "none".to_owned(),
                (name, _) => name.to_owned(),
            };
            let unique = unique(&preferred, &mut names);
            let texture = to_line(&material.texture);
            if texture != material.texture {
                let path = format!("meshes[{index}].material.texture");
                let loss = Loss::renamed(path, "a name is part of a line");
                let before = material.texture.escape_debug();
                losses.push(loss.detail(format_args!("\"{before}\" becomes \"{texture}\"")));
            }
            library.push(Material { name: unique, texture, ..*material });
            library.len() - 1
        });
        let name = &library[place].name;
        if *name != mesh.material.name {
            let loss =
                Loss::renamed(format!("meshes[{index}].material.name"), "materials of OBJ have unique names");
            losses.push(loss.detail(format_args!("\"{}\" becomes \"{name}\"", mesh.material.name)));
            mesh.material.name.clone_from(name);
        }
    }
    library
}

/// This name, or it with a number if it is taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (1_u32..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or_default();
    taken.insert(free.clone());
    free
}

pub(super) fn write(out: &mut dyn Write, library: &[Material]) -> Result<()> {
    for Material { name, color, texture } in library {
        writeln!(out, "newmtl {name}")?;
        if let Some(color) = color {
            let [red, green, blue] = color.map(|channel| f32::from(channel) / 255.0);
            writeln!(out, "Kd {red} {green} {blue}")?;
        }
        if !texture.is_empty() {
            writeln!(out, "map_Kd {texture}")?;
        }
    }
    Ok(())
}
