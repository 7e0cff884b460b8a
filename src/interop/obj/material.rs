//! Reads material libraries (MTL): diffuse colours, opacity and images of materials.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use crate::interop::Files;
use crate::interop::references::{self, Reference};
use crate::interop::shared::text::{Words, lines};
use crate::interop::texture_transform::TextureTransform;
use crate::scene::{AlphaMode, Material, Mesh, Sampler, Texture, Wrap};
use crate::{Category, Loss, Result};

/// The materials of all libraries.
#[derive(Default)]
pub(super) struct Materials {
    by_name: HashMap<Vec<u8>, MtlMaterial>,
    /// The names of materials, by the part before a comment without a blank (`oak #brown`).
    shortened: HashMap<Vec<u8>, Vec<u8>>,
}

impl Materials {
    /// Returns the material for the name of a `usemtl` statement, and its name in the library. Unless a material has the
    /// entire name, a comment in either name is ignored.
    pub fn find(&self, name: &[u8]) -> Option<(&[u8], &MtlMaterial)> {
        let short = || self.by_name.get_key_value(before_comment(name)?);
        let long = || self.by_name.get_key_value(self.shortened.get(name)?);
        let (name, material) = self
            .by_name
            .get_key_value(name)
            .or_else(short)
            .or_else(long)?;
        Some((name, material))
    }

    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.by_name.keys().map(Vec::as_slice)
    }
}

/// Returns the part of a name before ` #`, which may begin a comment; `None` without one.
fn before_comment(name: &[u8]) -> Option<&[u8]> {
    let at = name.windows(2).position(|pair| pair == b" #")?;
    Some(name[..at].trim_ascii_end())
}

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
#[derive(Default, PartialEq)]
struct DiffuseMap {
    path: String,
    transform: TextureTransform,
    clamp: bool,
}

/// The number of malformed lines after which reading a library stops, since locating each error takes time.
const MAX_MALFORMED: usize = 100;

impl MtlMaterial {
    /// Returns the opacity: 0 (invisible) to 1 (opaque).
    pub fn opacity(&self) -> f32 {
        self.opacity
            .or(self.transparency.map(|amount| 1.0 - amount))
            .unwrap_or(1.0)
    }

    /// Converts the properties to a material with the given name and opacity.
    pub fn to_material(&self, name: String, opacity: f32) -> Material {
        let color = self.color.or((opacity < 1.0).then_some([1.0; 3]));
        let texture = self.map.as_ref().map(|map| {
            let wrap = if map.clamp { Wrap::Clamp } else { Wrap::Repeat };
            let sampler = Sampler {
                wrap: [wrap; 2],
                ..Sampler::default()
            };
            Texture {
                sampler,
                ..Texture::file(&*map.path)
            }
        });
        Material {
            name,
            base_color: color.map(|[red, green, blue]| [red, green, blue, opacity]),
            texture,
            alpha_mode: if opacity < 1.0 {
                AlphaMode::Blend
            } else {
                AlphaMode::Opaque
            },
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
/// most other readers. In one definition, the last value of each property applies.
pub(super) fn read(
    text: &[u8],
    library: &str,
    files: &dyn Files,
    materials: &mut Materials,
    losses: &mut Vec<Loss>,
) {
    let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut reader = MtlReader {
        files,
        folder,
        materials,
        current: None,
        unsupported: BTreeSet::new(),
        stray: BTreeSet::new(),
        duplicates: BTreeSet::new(),
        overridden: BTreeSet::new(),
        trailing: BTreeSet::new(),
        shortened_paths: Vec::new(),
    };
    let mut errors = Vec::new();
    for words in lines(text) {
        errors.extend(reader.read_line(words).err());
        if errors.len() == MAX_MALFORMED {
            break;
        }
    }
    reader.end_material();
    let MtlReader {
        unsupported,
        stray,
        duplicates,
        overridden,
        trailing,
        shortened_paths,
        ..
    } = reader;
    let dropped = |message: &str| Loss::dropped(library, message).in_category(Category::Material);
    if let Some(first) = errors.first() {
        let detail = format!("{}, the first at {first}", errors.len());
        losses.push(dropped("malformed numbers").with_detail(detail));
        if errors.len() == MAX_MALFORMED {
            losses.push(dropped(&format!(
                "statements after {MAX_MALFORMED} malformed numbers"
            )));
        }
    }
    losses.extend(dropped("statements before the first `newmtl`").listing(stray));
    let message = "duplicate `newmtl`: only properties that the first definition lacks are added";
    losses.extend(dropped(message).listing(duplicates));
    let message = "all but the last value of a property that a material repeats";
    losses.extend(dropped(message).listing(overridden));
    losses.extend(dropped("words after the options of `map_Kd`").listing(trailing));
    losses.extend(dropped("unsupported properties of materials").listing(unsupported));
    let loss = Loss::renamed(
        library,
        "only the file names of absolute image paths are kept",
    );
    losses.extend(
        loss.in_category(Category::Material)
            .listing(shortened_paths),
    );
}

struct MtlReader<'a, 'm> {
    files: &'m dyn Files,
    /// The folder of the library.
    folder: &'a str,
    materials: &'m mut Materials,
    /// The current definition; `None` before the first `newmtl`.
    current: Option<Definition<'a>>,
    /// The unsupported keywords and options.
    unsupported: BTreeSet<String>,
    /// The supported keywords before the first `newmtl`.
    stray: BTreeSet<String>,
    /// The names of materials that an earlier `newmtl` defines.
    duplicates: BTreeSet<String>,
    /// The names and keywords of properties with several values in one definition.
    overridden: BTreeSet<String>,
    /// The words after the options that follow an image path.
    trailing: BTreeSet<String>,
    /// The absolute image paths, which were shortened to file names.
    shortened_paths: Vec<String>,
}

/// A definition, which `newmtl` begins.
struct Definition<'a> {
    name: Cow<'a, [u8]>,
    material: MtlMaterial,
    /// The keywords of properties that were replaced by others.
    overridden: BTreeSet<String>,
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
        let Some(keyword) = words.next().filter(|word| !word.starts_with(b"#")) else {
            return Ok(());
        };
        let property = match &*keyword.to_ascii_lowercase() {
            b"newmtl" => {
                self.end_material();
                let (material, overridden) = (MtlMaterial::default(), BTreeSet::new());
                self.current = Some(Definition {
                    name: words.name(),
                    material,
                    overridden,
                });
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
                self.unsupported.insert(keyword.escape_ascii().to_string());
                return Ok(());
            }
        };
        let Some(Definition {
            material,
            overridden,
            ..
        }) = &mut self.current
        else {
            self.stray.insert(keyword.escape_ascii().to_string());
            return Ok(());
        };
        let is_overridden = match property {
            Property::Color(color) => differs(&material.color.replace(color), &material.color),
            Property::Opacity(opacity) => {
                differs(&material.opacity.replace(opacity), &material.opacity)
            }
            Property::Transparency(amount) => differs(
                &material.transparency.replace(amount),
                &material.transparency,
            ),
            Property::Map(map) => differs(&material.map.replace(map), &material.map),
        };
        if is_overridden {
            overridden.insert(keyword.escape_ascii().to_string());
        }
        Ok(())
    }

    /// Adds the current definition to the materials.
    fn end_material(&mut self) {
        let Some(Definition {
            name,
            material,
            overridden,
        }) = self.current.take()
        else {
            return;
        };
        let lossy_name = String::from_utf8_lossy(&name);
        self.overridden.extend(
            overridden
                .iter()
                .map(|keyword| format!("{keyword} of \"{lossy_name}\"")),
        );
        let name = name.into_owned();
        if let Some(short) = before_comment(&name) {
            self.materials
                .shortened
                .entry(short.to_vec())
                .or_insert_with(|| name.clone());
        }
        match self.materials.by_name.entry(name) {
            Entry::Occupied(mut entry) => {
                self.duplicates
                    .insert(format!("\"{}\"", String::from_utf8_lossy(entry.key())));
                let first = entry.get_mut();
                first.color = first.color.or(material.color);
                first.opacity = first.opacity.or(material.opacity);
                first.transparency = first.transparency.or(material.transparency);
                first.map = first.map.take().or(material.map);
            }
            Entry::Vacant(entry) => drop(entry.insert(material)),
        }
    }

    /// Reads the options and the image path of a `map_Kd` statement; `None` if the path is empty. Options may precede or
    /// follow the path.
    fn read_map(&mut self, words: &mut Words<'a>) -> Result<Option<DiffuseMap>> {
        let mut map = DiffuseMap::default();
        self.read_options(words, &mut map)?;
        let (path, reference) = match words.quoted_name() {
            Some(path) => (
                Cow::Borrowed(path),
                references::resolve(self.files, self.folder, path),
            ),
            None => {
                let path = words.name_before(is_map_option);
                let reference = references::resolve_unquoted(self.files, self.folder, &path);
                (path, reference)
            }
        };
        self.read_options(words, &mut map)?;
        let trailing = words.name();
        if !trailing.is_empty() {
            self.trailing
                .insert(format!("\"{}\"", String::from_utf8_lossy(&trailing)));
        }
        let Reference { name, is_absolute } = reference;
        if is_absolute {
            self.shortened_paths
                .push(format!("\"{}\"", String::from_utf8_lossy(&path)));
        }
        map.path = name;
        Ok((!map.path.is_empty()).then_some(map))
    }

    fn read_options(&mut self, words: &mut Words<'a>, map: &mut DiffuseMap) -> Result<()> {
        while let Some(option) = words.clone().next().filter(|word| is_map_option(word)) {
            words.next();
            match &*option.to_ascii_lowercase() {
                b"-s" => {
                    [map.transform.scale[0], map.transform.scale[1], _] = read_numbers(words, 1.0)?
                }
                b"-o" => {
                    [map.transform.offset[0], map.transform.offset[1], _] =
                        read_numbers(words, 0.0)?
                }
                b"-clamp" => {
                    map.clamp = words
                        .next()
                        .is_some_and(|word| word.eq_ignore_ascii_case(b"on"))
                }
                lower => {
                    match lower {
                        b"-t" => _ = read_numbers::<3>(words, 0.0)?,
                        b"-mm" => _ = read_numbers::<2>(words, 0.0)?,
                        _ => _ = words.next(),
                    }
                    self.unsupported
                        .insert(format!("map_Kd {}", option.escape_ascii()));
                }
            }
        }
        Ok(())
    }
}

/// The options of maps, including those of other maps than `map_Kd` and of other programs: some programs write them for
/// any map. `-s`, `-o` and `-t` have up to three numbers, `-mm` has two, and all others have one word.
const MAP_OPTIONS: [&[u8]; 14] = [
    b"-s",
    b"-o",
    b"-t",
    b"-mm",
    b"-clamp",
    b"-blendu",
    b"-blendv",
    b"-boost",
    b"-bm",
    b"-cc",
    b"-imfchan",
    b"-texres",
    b"-type",
    b"-colorspace",
];

/// Returns `true` if a word is an option of a map.
pub(super) fn is_map_option(word: &[u8]) -> bool {
    MAP_OPTIONS
        .iter()
        .any(|option| word.eq_ignore_ascii_case(option))
}

/// Returns `true` if a property had a value that differs from the new one.
fn differs<T: PartialEq>(old: &Option<T>, new: &Option<T>) -> bool {
    old.is_some() && old != new
}

/// Reads up to `N` numbers. Missing numbers are replaced by `missing`.
fn read_numbers<const N: usize>(words: &mut Words, missing: f64) -> Result<[f64; N]> {
    let mut values = [missing; N];
    for value in &mut values {
        if !words.is_at_number() {
            break;
        }
        *value = read_finite(words, "a number")?.into();
    }
    Ok(values)
}

/// Reads a colour. If only red is given, green and blue equal red.
fn read_color(words: &mut Words) -> Result<[f32; 3]> {
    let red = read_finite(words, "the red component")?;
    if words.clone().read_optional_f32()?.is_none() {
        return Ok([red; 3]);
    }
    Ok([
        red,
        read_finite(words, "the green component")?,
        read_finite(words, "the blue component")?,
    ])
}

fn read_finite(words: &mut Words, what: &str) -> Result<f32> {
    let number = words.read_f32(what)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(words.reject("expected a finite number"))
    }
}
