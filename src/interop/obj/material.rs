//! Reads material libraries (MTL): diffuse colours, opacity and images of materials.

use std::collections::{BTreeSet, HashMap};

use crate::interop::images;
use crate::interop::numbers::TextureTransform;
use crate::interop::shared::text::{Words, lines};
use crate::scene::{AlphaMode, Material, Mesh, Sampler, Texture, Wrap};
use crate::{Category, Loss, Result};

/// Materials by `usemtl` name.
pub(super) type Materials = HashMap<Vec<u8>, MtlMaterial>;

/// The supported properties of a material.
#[derive(Default)]
pub(super) struct MtlMaterial {
    color: Option<[f32; 3]>,
    /// The opacity `d`: 0 (invisible) to 1 (opaque).
    opacity: Option<f32>,
    /// The transparency `Tr`: 0 (opaque) to 1 (invisible).
    transparency: Option<f32>,
    map: Option<DiffuseMap>,
}

/// The texture of the diffuse colour (`map_Kd`).
#[derive(Default)]
struct DiffuseMap {
    path: String,
    transform: TextureTransform,
    clamp: bool,
}

/// The maximum number of unsupported keywords and options to list.
const MAX_UNSUPPORTED: usize = 20;

/// The number of malformed lines after which reading a library stops, since locating each error takes time.
const MAX_MALFORMED: usize = 100;

impl MtlMaterial {
    /// Converts the properties to a material with the given name.
    pub fn to_material(&self, name: String) -> Material {
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

    /// Applies the options `-s` and `-o` to the texture coordinates of a mesh. Returns `true` if the coordinates
    /// change.
    pub fn transform_uvs(&self, mesh: &mut Mesh) -> bool {
        let map = self.map.as_ref().zip(mesh.uvs.first_mut());
        map.is_some_and(|(map, uvs)| map.transform.apply(uvs))
    }
}

/// Adds the materials of a library. If materials have the same name, the first definition of each property applies.
pub(super) fn read(text: &[u8], library: &str, materials: &mut Materials, losses: &mut Vec<Loss>) {
    let folder = library.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let (unsupported, shortened_paths) = (BTreeSet::new(), Vec::new());
    let mut reader = MtlReader { folder, materials, current: &[], unsupported, shortened_paths };
    let mut errors = Vec::new();
    for words in lines(text) {
        errors.extend(reader.read_line(words).err());
        if errors.len() == MAX_MALFORMED {
            break;
        }
    }
    let MtlReader { unsupported, shortened_paths, .. } = reader;
    let dropped = |message: &str| Loss::dropped(library, message).in_category(Category::Material);
    if let Some(first) = errors.first() {
        let detail = format!("{}, the first at {first}", errors.len());
        losses.push(dropped("malformed numbers").with_detail(detail));
        if errors.len() == MAX_MALFORMED {
            losses.push(dropped(&format!("statements after {MAX_MALFORMED} malformed numbers")));
        }
    }
    if !unsupported.is_empty() {
        let unsupported: Vec<_> = unsupported.into_iter().collect();
        losses.push(dropped("unsupported properties of materials").with_detail(unsupported.join(", ")));
    }
    let loss = Loss::renamed(library, "only the file names of absolute image paths are kept");
    losses.extend(loss.in_category(Category::Material).listing(shortened_paths));
}

struct MtlReader<'a, 'm> {
    /// The folder of the library.
    folder: &'a str,
    materials: &'m mut Materials,
    /// The name of the current material.
    current: &'a [u8],
    /// The unsupported keywords and options.
    unsupported: BTreeSet<String>,
    /// The absolute image paths, which were shortened to file names.
    shortened_paths: Vec<String>,
}

impl<'a> MtlReader<'a, '_> {
    /// Reads a line. Returns an error if a number is malformed.
    fn read_line(&mut self, mut words: Words<'a>) -> Result<()> {
        let Some(keyword) = words.next().filter(|word| !word.starts_with(b"#")) else { return Ok(()) };
        match keyword {
            b"newmtl" => {
                self.current = words.rest_of_line();
                self.materials.entry(self.current.to_vec()).or_default();
            }
            b"Kd" if !matches!(words.clone().next(), Some(b"spectral" | b"xyz")) => {
                let color = read_color(&mut words)?;
                self.update_current(|material| _ = material.color.get_or_insert(color));
            }
            b"d" if words.clone().next() != Some(b"-halo") => {
                let opacity = read_finite(&mut words, "the opacity")?;
                self.update_current(|material| _ = material.opacity.get_or_insert(opacity));
            }
            b"Tr" => {
                let transparency = read_finite(&mut words, "the transparency")?;
                self.update_current(|material| _ = material.transparency.get_or_insert(transparency));
            }
            b"map_Kd" => {
                if let Some(map) = self.read_map(&mut words)? {
                    self.update_current(|material| _ = material.map.get_or_insert(map));
                }
            }
            other => self.record_unsupported(other.escape_ascii().to_string()),
        }
        Ok(())
    }

    /// Updates the current material, if any.
    fn update_current(&mut self, change: impl FnOnce(&mut MtlMaterial)) {
        self.materials.get_mut(self.current).map(change);
    }

    fn record_unsupported(&mut self, property: String) {
        if self.unsupported.len() < MAX_UNSUPPORTED {
            self.unsupported.insert(property);
        }
    }

    /// Reads the options and the image path of a `map_Kd` statement; `None` if the path is empty.
    fn read_map(&mut self, words: &mut Words) -> Result<Option<DiffuseMap>> {
        let mut map = DiffuseMap::default();
        loop {
            let start = words.clone();
            let option = words.next().unwrap_or_default();
            match option {
                b"-s" => map.transform.scale = read_up_to_three(words, 1.0)?,
                b"-o" => map.transform.offset = read_up_to_three(words, 0.0)?,
                b"-clamp" => map.clamp = words.next() == Some(b"on"),
                _ => {
                    let values = match option {
                        b"-t" => read_up_to_three(words, 0.0).map(|_| 0)?,
                        b"-mm" => 2,
                        b"-blendu" | b"-blendv" | b"-boost" | b"-bm" | b"-cc" | b"-imfchan" | b"-texres" => 1,
                        _ => {
                            *words = start;
                            break;
                        }
                    };
                    for _ in 0..values {
                        words.next();
                    }
                    self.record_unsupported(format!("map_Kd {}", option.escape_ascii()));
                }
            }
        }
        let path = String::from_utf8_lossy(words.rest_of_line());
        let (relative, is_shortened) = images::relative_path(self.folder, &path);
        if is_shortened {
            self.shortened_paths.push(format!("\"{path}\""));
        }
        map.path = relative;
        Ok((!map.path.is_empty()).then_some(map))
    }
}

/// Reads up to three numbers and returns the first two. Missing numbers are replaced by `missing`.
fn read_up_to_three(words: &mut Words, missing: f64) -> Result<[f64; 2]> {
    let mut values = [missing; 3];
    for value in &mut values {
        if words.clone().read_f32("a number").is_err() {
            break;
        }
        *value = read_finite(words, "a number")?.into();
    }
    Ok([values[0], values[1]])
}

/// Reads a colour. If only red is given, green and blue equal red.
fn read_color(words: &mut Words) -> Result<[f32; 3]> {
    let red = read_finite(words, "the red component")?;
    if words.clone().read_optional_f32()?.is_none() {
        return Ok([red; 3]);
    }
    Ok([red, read_finite(words, "the green component")?, read_finite(words, "the blue component")?])
}

fn read_finite(words: &mut Words, what: &str) -> Result<f32> {
    let number = words.read_f32(what)?;
    if number.is_finite() { Ok(number) } else { Err(words.reject("expected a finite number")) }
}
