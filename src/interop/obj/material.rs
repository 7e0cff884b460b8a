//! Reads MTL: diffuse colours, opacity and images of materials.

use std::collections::{BTreeSet, HashMap};

use crate::interop::images;
use crate::interop::shared::text::{Words, lines};
use crate::interop::texture_transform::TextureTransform;
use crate::scene::{AlphaMode, Material, Mesh, Sampler, Texture, Wrap};
use crate::{Category, Loss, Result};

/// Materials by the names that OBJ files use.
pub(super) type Materials = HashMap<Vec<u8>, MtlMaterial>;

/// The supported properties of a material.
#[derive(Default)]
pub(super) struct MtlMaterial {
    color: Option<[f32; 3]>,
    /// The opacity `d`, from 0 for invisible to 1.
    opacity: Option<f32>,
    /// The transparency `Tr`, from 0 to 1 for invisible.
    transparency: Option<f32>,
    map: Option<Map>,
}

/// The image of the diffuse colour.
struct Map {
    path: String,
    transform: TextureTransform,
    clamp: bool,
}

/// The maximum number of listed unsupported keywords.
const MAX_OTHERS: usize = 20;

/// The number of malformed lines after which reading a library stops, since locating each takes time.
const MAX_MALFORMED: usize = 100;

impl MtlMaterial {
    /// Converts to a material with this name.
    pub fn material(&self, name: String) -> Material {
        let opacity = self.opacity.or(self.transparency.map(|amount| 1.0 - amount)).unwrap_or(1.0);
        let color = self.color.or((opacity < 1.0).then_some([1.0; 3]));
        let texture = self.map.as_ref().map(|map| {
            let wrap = if map.clamp { Wrap::Clamp } else { Wrap::Repeat };
            let sampler = Sampler { wrap: [wrap; 2], ..Sampler::default() };
            Texture { sampler, ..Texture::file(&*map.path) }
        });
        Material {
            name,
            base_color: color.map(|[red, green, blue]| [red, green, blue, opacity]),
            texture,
            alpha_mode: if opacity < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
            ..Material::default()
        }
    }

    /// Applies `-s` and `-o` to the texture coordinates of a mesh. Returns `true` if they change.
    pub fn place_texture(&self, mesh: &mut Mesh) -> bool {
        let map = self.map.as_ref().zip(mesh.uvs.first_mut());
        map.is_some_and(|(map, uvs)| map.transform.apply(uvs))
    }
}

/// Adds the materials of a library. The first of duplicate names wins.
pub(super) fn read(text: &[u8], library: &str, materials: &mut Materials, losses: &mut Vec<Loss>) {
    let folder = library.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let mut reader = Reader { folder, materials, current: &[], others: BTreeSet::new(), moved: Vec::new() };
    let mut wrong = Vec::new();
    for words in lines(text) {
        wrong.extend(reader.line(words).err());
        if wrong.len() == MAX_MALFORMED {
            break;
        }
    }
    let Reader { others, moved, .. } = reader;
    let dropped = |message: &str| Loss::dropped(library, message).in_category(Category::Material);
    if let Some(first) = wrong.first() {
        losses
            .push(dropped("malformed numbers").detail(format_args!("{}, the first at {first}", wrong.len())));
        if wrong.len() == MAX_MALFORMED {
            losses.push(dropped("everything after too many malformed numbers"));
        }
    }
    if !others.is_empty() {
        let others: Vec<_> = others.into_iter().collect();
        losses.push(dropped("unsupported properties of materials").detail(others.join(", ")));
    }
    if !moved.is_empty() {
        let loss = Loss::renamed(library, "only the file names of absolute image paths are kept");
        losses.push(loss.in_category(Category::Material).naming(moved));
    }
}

struct Reader<'a, 'm> {
    /// The folder of the library.
    folder: &'a str,
    materials: &'m mut Materials,
    /// The name of the current material.
    current: &'a [u8],
    /// Unsupported keywords and options.
    others: BTreeSet<String>,
    /// Absolute paths.
    moved: Vec<String>,
}

impl<'a> Reader<'a, '_> {
    /// # Errors
    ///
    /// Returns an error if a number is malformed.
    fn line(&mut self, mut words: Words<'a>) -> Result<()> {
        let Some(keyword) = words.next().filter(|word| !word.starts_with(b"#")) else { return Ok(()) };
        match keyword {
            b"newmtl" => {
                self.current = words.rest_of_line();
                self.materials.entry(self.current.to_vec()).or_default();
            }
            b"Kd" if !matches!(words.clone().next(), Some(b"spectral" | b"xyz")) => {
                let color = color(&mut words)?;
                self.update(|material| material.color = material.color.or(Some(color)));
            }
            b"d" if words.clone().next() != Some(b"-halo") => {
                let opacity = finite(&mut words, "the opacity")?;
                self.update(|material| material.opacity = material.opacity.or(Some(opacity)));
            }
            b"Tr" => {
                let transparency = finite(&mut words, "the transparency")?;
                self.update(|material| material.transparency = material.transparency.or(Some(transparency)));
            }
            b"map_Kd" => {
                if let Some(map) = self.map(&mut words)? {
                    self.update(|material| material.map = material.map.take().or(Some(map)));
                }
            }
            other => self.list(other.escape_ascii().to_string()),
        }
        Ok(())
    }

    /// Updates the current material, if any.
    fn update(&mut self, change: impl FnOnce(&mut MtlMaterial)) {
        self.materials.get_mut(self.current).map(change);
    }

    fn list(&mut self, property: String) {
        if self.others.len() < MAX_OTHERS {
            self.others.insert(property);
        }
    }

    /// Parses options and the image path after them.
    fn map(&mut self, words: &mut Words) -> Result<Option<Map>> {
        let mut map = Map { path: String::new(), transform: TextureTransform::default(), clamp: false };
        loop {
            let name = words.clone();
            let option = words.next().unwrap_or_default();
            let values = match option {
                b"-s" => {
                    map.transform.scale = up_to_three(words, 1.0)?;
                    continue;
                }
                b"-o" => {
                    map.transform.offset = up_to_three(words, 0.0)?;
                    continue;
                }
                b"-clamp" => {
                    map.clamp = words.next() == Some(b"on");
                    continue;
                }
                b"-t" => {
                    up_to_three(words, 0.0)?;
                    0
                }
                b"-mm" => 2,
                b"-blendu" | b"-blendv" | b"-boost" | b"-bm" | b"-cc" | b"-imfchan" | b"-texres" => 1,
                _ => {
                    *words = name;
                    break;
                }
            };
            self.list(format!("map_Kd {}", option.escape_ascii()));
            for _ in 0..values {
                words.next();
            }
        }
        let path = String::from_utf8_lossy(words.rest_of_line());
        let (relative, is_shortened) = images::relative(self.folder, &path);
        if is_shortened {
            self.moved.push(format!("\"{path}\""));
        }
        map.path = relative;
        Ok(Some(map).filter(|map| !map.path.is_empty()))
    }
}

/// Reads up to three numbers and returns the first two. Missing numbers default to `missing`.
fn up_to_three(words: &mut Words, missing: f64) -> Result<[f64; 2]> {
    let mut values = [missing; 3];
    for value in &mut values {
        if words.clone().number("a number").is_err() {
            break;
        }
        *value = finite(words, "a number")?.into();
    }
    Ok([values[0], values[1]])
}

/// Reads a colour. Green and blue default to red.
fn color(words: &mut Words) -> Result<[f32; 3]> {
    let red = finite(words, "the red component")?;
    match words.clone().optional()? {
        Some(_) => Ok([red, finite(words, "the green component")?, finite(words, "the blue component")?]),
        None => Ok([red; 3]),
    }
}

fn finite(words: &mut Words, what: &str) -> Result<f32> {
    let number = words.number(what)?;
    if number.is_finite() { Ok(number) } else { Err(words.reject("expected a finite number")) }
}
