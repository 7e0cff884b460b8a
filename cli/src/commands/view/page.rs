//! The page: markup, styles, script and data in one file.

use std::io::{self, Write};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshspec::layout::dump::{Branch, UnpackedBlock};
use meshspec::scene::{MeshPlaces, Places};
use meshspec::{Finding, Span};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::comparison::Comparison;
use super::content::Content;
use super::data::{ArrayRef, Arrays, write_json};
use super::model::Model;

/// The maximum size in a page of the file, and of all unpacked blocks together, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// The maximum number of losses on a page.
const MAX_LOSSES: usize = 500;

const MARKUP: &str = include_str!("../../view/page.html");
const STYLE: &str = include_str!("../../view/style.css");

/// The modules of the script, each after its imports.
const MODULES: &[&str] = &[
    include_str!("../../view/text.js"),
    include_str!("../../view/math.js"),
    include_str!("../../view/data.js"),
    include_str!("../../view/camera.js"),
    include_str!("../../view/pose.js"),
    include_str!("../../view/shaders.js"),
    include_str!("../../view/geometry.js"),
    include_str!("../../view/coarse.js"),
    include_str!("../../view/textures.js"),
    include_str!("../../view/renderer.js"),
    include_str!("../../view/pick.js"),
    include_str!("../../view/tree.js"),
    include_str!("../../view/places.js"),
    include_str!("../../view/fields.js"),
    include_str!("../../view/bytes.js"),
    include_str!("../../view/findings.js"),
    include_str!("../../view/distances.js"),
    include_str!("../../view/controls.js"),
    include_str!("../../view/stage.js"),
    include_str!("../../view/model.js"),
    include_str!("../../view/live.js"),
    include_str!("../../view/side.js"),
    include_str!("../../view/main.js"),
];

/// The origin of the page.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// A file, without network access.
    File,
    /// The server of `--serve`, which the page polls for changes of the file.
    Served,
}

/// The data that the script reads first.
#[derive(Serialize)]
struct Data {
    file: About,
    /// The file to compare with.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<About>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
}

/// The data of a file.
#[derive(Serialize)]
struct About {
    file: String,
    title: &'static str,
    dialect: Option<&'static str>,
    size: u64,
    version: &'static str,
    is_text: bool,
    is_served: bool,
    bytes: ArrayRef,
    blocks: Vec<BlockData>,
    tree: Branch,
    fault: Option<FaultData>,
    model: Option<Model>,
    places: PlacesData,
    findings: Vec<Finding>,
    losses: Vec<LossData>,
    is_converted: bool,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct BlockData {
    packed: Range<u64>,
    size: u64,
    bytes: ArrayRef,
}

#[derive(Serialize)]
struct FaultData {
    path: String,
    span: Span,
    message: String,
}

#[derive(Serialize)]
struct LossData {
    path: String,
    text: String,
}

/// Places with the keys as arrays.
#[derive(Serialize)]
struct PlacesData {
    meshes: Vec<MeshPlaces>,
    joints: Vec<String>,
    animations: Vec<KeysData>,
}

#[derive(Serialize)]
struct KeysData {
    list: String,
    channels: Vec<ArrayRef>,
}

/// A page for a file, or for two files with their comparison.
pub struct Page {
    pub file: Content,
    pub other: Option<(Content, Comparison)>,
}

impl Page {
    /// Returns the page of one file.
    pub fn of(file: Content) -> Page {
        Page { file, other: None }
    }

    /// Writes the page.
    pub fn write(self, mode: Mode, out: &mut dyn Write) -> io::Result<()> {
        let mut arrays = Arrays::default();
        let file = about(self.file, mode, &mut arrays);
        let (other, comparison) = match self.other {
            Some((other, comparison)) => (Some(about(other, mode, &mut arrays)), Some(comparison)),
            None => (None, None),
        };
        write_page(&Data { file, other, comparison }, &arrays, mode, out)
    }
}

/// Returns the data of a file and adds its arrays.
fn about(content: Content, mode: Mode, arrays: &mut Arrays) -> About {
    let Content { name, title, dialect, bytes, tree, is_text, scene, places, findings, losses, .. } = content;
    let (distances, is_converted, mut notes) = (content.distances, content.is_converted, content.notes);
    let shown = bytes.get(..MAX_BYTES).unwrap_or(&bytes);
    if shown.len() < bytes.len() {
        notes.push(format!("Of {} bytes the first {MAX_BYTES} are shown", bytes.len()));
    }
    if losses.len() > MAX_LOSSES {
        notes.push(format!("Of {} losses the first {MAX_LOSSES} are shown", losses.len()));
    }
    About {
        file: name,
        title,
        dialect,
        size: bytes.len() as u64,
        version: env!("CARGO_PKG_VERSION"),
        is_text,
        is_served: mode == Mode::Served,
        bytes: arrays.bytes(shown.to_vec()),
        blocks: blocks(tree.blocks, arrays, &mut notes),
        tree: tree.root,
        fault: tree.fault.map(|fault| FaultData {
            path: fault.path.to_string(),
            span: fault.span,
            message: fault.message,
        }),
        model: scene.map(|mut scene| Model::of(&mut scene, distances, arrays, &mut notes)),
        places: places_data(places, arrays),
        findings,
        losses: (losses.iter().take(MAX_LOSSES))
            .map(|loss| LossData { path: loss.path.to_string(), text: loss.to_string() })
            .collect(),
        is_converted,
        notes,
    }
}

/// Replaces the placeholders in the markup.
fn write_page(data: &Data, arrays: &Arrays, mode: Mode, out: &mut dyn Write) -> io::Result<()> {
    let script = script();
    for part in MARKUP.split_inclusive("-->") {
        let (markup, mark) = match part.strip_suffix("-->").and_then(|part| part.rsplit_once("<!--")) {
            Some((markup, mark)) => (markup, mark.trim()),
            None => (part, ""),
        };
        out.write_all(markup.as_bytes())?;
        match mark {
            "policy" => write_policy(&script, mode, out)?,
            "style" => write!(out, "<style>{STYLE}</style>")?,
            "data" => {
                write!(out, "<script type=\"application/json\" id=\"data\">")?;
                write_json(data, out)?;
                writeln!(out, "</script>")?;
                arrays.write(out)?;
            }
            "script" => write!(out, "<script type=\"module\">{script}</script>")?,
            _ => {}
        }
    }
    Ok(())
}

/// Writes the content security policy, which blocks requests and foreign scripts.
fn write_policy(script: &str, mode: Mode, out: &mut dyn Write) -> io::Result<()> {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let connect = if mode == Mode::Served { "'self'" } else { "'none'" };
    write!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; connect-src {connect}; \
         img-src data:; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">",
        hash(script),
        hash(STYLE),
    )
}

/// Concatenates the modules, without their imports and the keyword `export`.
fn script() -> String {
    let lines = MODULES.iter().flat_map(|module| module.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

fn blocks(unpacked: Vec<UnpackedBlock>, arrays: &mut Arrays, notes: &mut Vec<String>) -> Vec<BlockData> {
    let mut room = MAX_BYTES;
    let mut omitted = 0;
    let blocks = unpacked.into_iter().map(|UnpackedBlock { packed, mut content }| {
        let size = content.len();
        content.truncate(room);
        room -= content.len();
        omitted += size - content.len();
        BlockData { packed, size: size as u64, bytes: arrays.bytes(content) }
    });
    let blocks = blocks.collect();
    if omitted > 0 {
        notes.push(format!("{omitted} unpacked bytes are omitted: a page shows at most {MAX_BYTES}"));
    }
    blocks
}

fn places_data(places: Places, arrays: &mut Arrays) -> PlacesData {
    let Places { meshes, joints, animations } = places;
    let animations = animations.into_iter().map(|keys| KeysData {
        channels: keys.channels.iter().map(|channel| arrays.words(channel)).collect(),
        list: keys.list,
    });
    PlacesData { animations: animations.collect(), meshes, joints }
}
