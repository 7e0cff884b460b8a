//! Reads material libraries (MTL): diffuse colours, opacity and images of materials.

use std::collections::hash_map::Entry;
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

/// The maximum number of keywords, options or names in a list.
const MAX_LISTED: usize = 20;

/// The number of malformed lines after which reading a library stops, since locating each error takes time.
const MAX_MALFORMED: usize = 100;

impl MtlMaterial {
    /// Returns the opacity: 0 (invisible) to 1 (opaque).
    pub fn opacity(&self) -> f32 {
        self.opacity.or(self.transparency.map(|amount| 1.0 - amount)).unwrap_or(1.0)
    }

    /// Converts the properties to a material with the given name and opacity.
    pub fn to_material(&self, name: String, opacity: f32) -> Material {
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

/// Adds the materials of a library. If materials have the same name, the first definition of each property applies, as in
/// most other readers.
pub(super) fn read(text: &[u8], library: &str, materials: &mut Materials, losses: &mut Vec<Loss>) {
    let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut reader = MtlReader {
        folder,
        materials,
        current: None,
        unsupported: BTreeSet::new(),
        stray: BTreeSet::new(),
        duplicates: BTreeSet::new(),
        shortened_paths: Vec::new(),
    };
    let mut errors = Vec::new();
    for words in lines(text) {
        errors.extend(reader.read_line(words).err());
        if errors.len() == MAX_MALFORMED {
            break;
        }
    }
    let MtlReader { unsupported, stray, duplicates, shortened_paths, .. } = reader;
    let dropped = |message: &str| Loss::dropped(library, message).in_category(Category::Material);
    if let Some(first) = errors.first() {
        let detail = format!("{}, the first at {first}", errors.len());
        losses.push(dropped("malformed numbers").with_detail(detail));
        if errors.len() == MAX_MALFORMED {
            losses.push(dropped(&format!("statements after {MAX_MALFORMED} malformed numbers")));
        }
    }
    losses.extend(dropped("statements before the first `newmtl`").listing(stray));
    let message = "duplicate `newmtl`: only properties that the first definition lacks are added";
    losses.extend(dropped(message).listing(duplicates));
    losses.extend(dropped("unsupported properties of materials").listing(unsupported));
    let loss = Loss::renamed(library, "only the file names of absolute image paths are kept");
    losses.extend(loss.in_category(Category::Material).listing(shortened_paths));
}

struct MtlReader<'a, 'm> {
    /// The folder of the library.
    folder: &'a str,
    materials: &'m mut Materials,
    /// The name of the current material; `None` before the first `newmtl`.
    current: Option<&'a [u8]>,
    /// The unsupported keywords and options.
    unsupported: BTreeSet<String>,
    /// The supported keywords before the first `newmtl`.
    stray: BTreeSet<String>,
    /// The names of materials that an earlier `newmtl` defines.
    duplicates: BTreeSet<String>,
    /// The absolute image paths, which were shortened to file names.
    shortened_paths: Vec<String>,
}

/// A property of the current material.
enum Property {
    Color([f32; 3]),
    Opacity(f32),
    Transparency(f32),
    Map(DiffuseMap),
}

impl<'a> MtlReader<'a, '_> {
    /// Reads a line. Keywords may be in any case. Returns an error if a number is malformed.
    fn read_line(&mut self, mut words: Words<'a>) -> Result<()> {
        let Some(keyword) = words.next().filter(|word| !word.starts_with(b"#")) else { return Ok(()) };
        let property = match &*keyword.to_ascii_lowercase() {
            b"newmtl" => {
                self.begin_material(words.name());
                return Ok(());
            }
            b"kd" if !matches!(words.clone().next(), Some(b"spectral" | b"xyz")) => {
                Property::Color(read_color(&mut words)?)
            }
            b"d" if words.clone().next() != Some(b"-halo") => {
                Property::Opacity(read_finite(&mut words, "the opacity")?)
            }
            b"tr" => Property::Transparency(read_finite(&mut words, "the transparency")?),
            b"map_kd" => match self.read_map(&mut words)? {
                Some(map) => Property::Map(map),
                None => return Ok(()),
            },
            _ => {
                add_listed(&mut self.unsupported, keyword.escape_ascii().to_string());
                return Ok(());
            }
        };
        let Some(material) = self.current.and_then(|name| self.materials.get_mut(name)) else {
            add_listed(&mut self.stray, keyword.escape_ascii().to_string());
            return Ok(());
        };
        match property {
            Property::Color(color) => _ = material.color.get_or_insert(color),
            Property::Opacity(opacity) => _ = material.opacity.get_or_insert(opacity),
            Property::Transparency(amount) => _ = material.transparency.get_or_insert(amount),
            Property::Map(map) => _ = material.map.get_or_insert(map),
        }
        Ok(())
    }

    fn begin_material(&mut self, name: &'a [u8]) {
        self.current = Some(name);
        match self.materials.entry(name.to_vec()) {
            Entry::Occupied(_) => {
                add_listed(&mut self.duplicates, format!("\"{}\"", String::from_utf8_lossy(name)))
            }
            Entry::Vacant(entry) => drop(entry.insert(MtlMaterial::default())),
        }
    }

    /// Reads the options and the image path of a `map_Kd` statement; `None` if the path is empty. Options may precede or
    /// follow the path.
    fn read_map(&mut self, words: &mut Words<'a>) -> Result<Option<DiffuseMap>> {
        let mut map = DiffuseMap::default();
        self.read_options(words, &mut map)?;
        let path = words.name_before(is_map_option);
        self.read_options(words, &mut map)?;
        let (relative, is_shortened) = images::relative_path(self.folder, path);
        if is_shortened {
            self.shortened_paths.push(format!("\"{}\"", String::from_utf8_lossy(path)));
        }
        map.path = relative;
        Ok((!map.path.is_empty()).then_some(map))
    }

    fn read_options(&mut self, words: &mut Words<'a>, map: &mut DiffuseMap) -> Result<()> {
        while let Some(option) = words.clone().next().filter(|word| is_map_option(word)) {
            words.next();
            match option {
                b"-s" => map.transform.scale = read_up_to_three(words, 1.0)?,
                b"-o" => map.transform.offset = read_up_to_three(words, 0.0)?,
                b"-clamp" => map.clamp = words.next() == Some(b"on"),
                _ => {
                    let values = match option {
                        b"-t" => read_up_to_three(words, 0.0).map(|_| 0)?,
                        b"-mm" => 2,
                        _ => 1,
                    };
                    for _ in 0..values {
                        words.next();
                    }
                    add_listed(&mut self.unsupported, format!("map_Kd {}", option.escape_ascii()));
                }
            }
        }
        Ok(())
    }
}

/// Returns `true` if a word is an option of `map_Kd`.
fn is_map_option(word: &[u8]) -> bool {
    matches!(
        word,
        b"-s"
            | b"-o"
            | b"-t"
            | b"-mm"
            | b"-clamp"
            | b"-blendu"
            | b"-blendv"
            | b"-boost"
            | b"-bm"
            | b"-cc"
            | b"-imfchan"
            | b"-texres"
    )
}

/// Adds an item to a list of at most [`MAX_LISTED`] items.
fn add_listed(list: &mut BTreeSet<String>, item: String) {
    if list.len() < MAX_LISTED {
        list.insert(item);
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
