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
        let transparency = self.transparency.filter(|_| !self.is_assumed_opaque());
        let opacity = self.opacity.or(transparency.map(|amount| 1.0 - amount)).unwrap_or(1.0);
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

    /// Returns `true` if the transparency is 1, and the opacity is missing. Other readers invert `Tr` as well, but
    /// some programs write the opacity instead, and a model has no use for invisible materials.
    pub fn is_assumed_opaque(&self) -> bool {
        self.opacity.is_none() && self.transparency == Some(1.0)
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
    let mut reader = MtlReader {
        folder,
        materials,
        current: None,
        duplicates: BTreeSet::new(),
        unnamed_count: 0,
        unsupported: BTreeSet::new(),
        shortened_paths: Vec::new(),
    };
    let mut errors = Vec::new();
    for words in lines(text) {
        errors.extend(reader.read_line(words).err());
        if errors.len() == MAX_MALFORMED {
            break;
        }
    }
    let MtlReader { duplicates, unnamed_count, unsupported, shortened_paths, .. } = reader;
    let dropped = |message: &str| Loss::dropped(library, message).in_category(Category::Material);
    if let Some(first) = errors.first() {
        let detail = format!("{}, the first at {first}", errors.len());
        losses.push(dropped("malformed numbers").with_detail(detail));
        if errors.len() == MAX_MALFORMED {
            losses.push(dropped(&format!("statements after {MAX_MALFORMED} malformed numbers")));
        }
    }
    let message = "duplicate `newmtl` of a material; the first value of each property applies";
    losses.extend(dropped(message).listing(duplicates));
    let loss = dropped("statements before the first `newmtl`");
    losses.extend(loss.with_count(unnamed_count, "statements").if_any());
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
    /// The name of the current material; `None` before the first `newmtl`.
    current: Option<&'a [u8]>,
    /// The names of materials that were defined before.
    duplicates: BTreeSet<String>,
    /// The number of supported statements before the first `newmtl`.
    unnamed_count: usize,
    /// The unsupported keywords and options.
    unsupported: BTreeSet<String>,
    /// The absolute image paths, which were shortened to file names.
    shortened_paths: Vec<String>,
}

impl<'a> MtlReader<'a, '_> {
    /// Reads a line. Returns an error if a number is malformed.
    fn read_line(&mut self, mut words: Words<'a>) -> Result<()> {
        let Some(keyword) = words.next().filter(|word| !word.starts_with(b"#")) else { return Ok(()) };
        match &*keyword.to_ascii_lowercase() {
            b"newmtl" => {
                let name = words.name();
                self.current = Some(name);
                let known = self.materials.len();
                self.materials.entry(name.to_vec()).or_default();
                if self.materials.len() == known {
                    self.duplicates.insert(format!("\"{}\"", String::from_utf8_lossy(name)));
                }
            }
            b"kd" if !matches!(words.clone().next(), Some(b"spectral" | b"xyz")) => {
                let color = read_color(&mut words)?;
                self.update_current(|material| _ = material.color.get_or_insert(color));
            }
            b"d" if words.clone().next() != Some(b"-halo") => {
                let opacity = read_finite(&mut words, "the opacity")?;
                self.update_current(|material| _ = material.opacity.get_or_insert(opacity));
            }
            b"tr" => {
                let transparency = read_finite(&mut words, "the transparency")?;
                self.update_current(|material| _ = material.transparency.get_or_insert(transparency));
            }
            b"map_kd" => {
                if let Some(map) = self.read_map(&mut words)? {
                    self.update_current(|material| _ = material.map.get_or_insert(map));
                }
            }
            _ => self.record_unsupported(keyword.escape_ascii().to_string()),
        }
        Ok(())
    }

    /// Updates the current material, if any.
    fn update_current(&mut self, change: impl FnOnce(&mut MtlMaterial)) {
        match self.current.and_then(|name| self.materials.get_mut(name)) {
            Some(material) => change(material),
            None => self.unnamed_count += 1,
        }
    }

    fn record_unsupported(&mut self, property: String) {
        if self.unsupported.len() < MAX_UNSUPPORTED {
            self.unsupported.insert(property);
        }
    }

    /// Reads the options and the image path of a `map_Kd` statement; `None` if the path is empty. Options may precede
    /// or follow the path.
    fn read_map(&mut self, words: &mut Words) -> Result<Option<DiffuseMap>> {
        let mut map = DiffuseMap::default();
        self.read_options(words, &mut map)?;
        let line = words.clone().name();
        let start = words.range().end;
        let mut path = line;
        let mut ahead = words.clone();
        ahead.next();
        loop {
            let mut options = ahead.clone();
            let Some(word) = ahead.next() else { break };
            if is_option(word) {
                self.read_options(&mut options, &mut map)?;
                if options.next().is_none_or(|word| word.starts_with(b"#")) {
                    path = words.rest()[..ahead.range().start - start].trim_ascii();
                }
                break;
            }
        }
        let path = String::from_utf8_lossy(unquote(path));
        let (relative, is_shortened) = images::relative_path(self.folder, &path);
        if is_shortened {
            self.shortened_paths.push(format!("\"{path}\""));
        }
        map.path = relative;
        Ok((!map.path.is_empty()).then_some(map))
    }

    /// Reads options up to the first word that is none.
    fn read_options(&mut self, words: &mut Words, map: &mut DiffuseMap) -> Result<()> {
        loop {
            let start = words.clone();
            let option = words.next().unwrap_or_default();
            let values = match option {
                b"-s" => {
                    map.transform.scale = read_up_to_three(words, 1.0)?;
                    continue;
                }
                b"-o" => {
                    map.transform.offset = read_up_to_three(words, 0.0)?;
                    continue;
                }
                b"-clamp" => {
                    map.clamp = words.next() == Some(b"on");
                    continue;
                }
                b"-t" => read_up_to_three(words, 0.0).map(|_| 0)?,
                b"-mm" => 2,
                option if is_option(option) => 1,
                _ => {
                    *words = start;
                    return Ok(());
                }
            };
            for _ in 0..values {
                words.next();
            }
            self.record_unsupported(format!("map_Kd {}", option.escape_ascii()));
        }
    }
}

/// The options of images.
const OPTIONS: [&[u8]; 12] = [
    b"-s",
    b"-o",
    b"-clamp",
    b"-t",
    b"-mm",
    b"-blendu",
    b"-blendv",
    b"-boost",
    b"-bm",
    b"-cc",
    b"-imfchan",
    b"-texres",
];

fn is_option(word: &[u8]) -> bool {
    OPTIONS.contains(&word)
}

/// Returns a file name without quotes around it.
pub(super) fn unquote(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name)
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
