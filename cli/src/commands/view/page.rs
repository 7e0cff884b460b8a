//! Writes the page: markup, styles, script and data in one file.

use std::io::{self, Write};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshspec::layout::dump::{Branch, UnpackedBlock};
use meshspec::scene::{MeshFields, SourceFields};
use meshspec::{Finding, Span};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::comparison::Comparison;
use super::content::FileContent;
use super::data::{ArrayRef, Arrays, write_json};
use super::model::Model;

/// The maximum number of bytes per file in a page, and of unpacked bytes per file.
const MAX_BYTES: usize = MAX_MIB << 20;
const MAX_MIB: usize = 64;

/// The maximum number of losses on a page.
const MAX_LOSSES: usize = 500;

const MARKUP: &str = include_str!("../../view/page.html");
const STYLE: &str = include_str!("../../view/style.css");

/// The modules of the script. Each comes after the modules that it imports.
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
    include_str!("../../view/source_fields.js"),
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

/// The delivery of the page to the browser.
#[derive(Clone, Copy, PartialEq)]
pub enum PageMode {
    /// As a file, without network access.
    File,
    /// By the server of `--serve`, which the page polls for changes to the file.
    Served,
}

/// The data of the page, read by the script as JSON.
#[derive(Serialize)]
struct PageData {
    file: FileData,
    /// The second file; `None` without a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<FileData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
}

/// The data of a file, for the script of the page.
#[derive(Serialize)]
struct FileData {
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
    #[serde(rename = "places")]
    source_fields: SourceFieldsData,
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

/// The fields from which the parts of the model were read, with the indices of keys as arrays.
#[derive(Serialize)]
struct SourceFieldsData {
    meshes: Vec<MeshFields>,
    joints: Vec<String>,
    animations: Vec<KeysData>,
}

#[derive(Serialize)]
struct KeysData {
    list: String,
    channels: Vec<ArrayRef>,
}

/// The content of a page: one file, or two files and their comparison.
pub struct Page {
    pub file: FileContent,
    pub other: Option<(FileContent, Comparison)>,
}

impl Page {
    /// Creates the page of one file.
    pub fn of(file: FileContent) -> Page {
        Page { file, other: None }
    }

    pub fn write(self, mode: PageMode, out: &mut dyn Write) -> io::Result<()> {
        let mut arrays = Arrays::default();
        let file = file_data(self.file, mode, &mut arrays);
        let (other, comparison) = match self.other {
            Some((other, comparison)) => {
                (Some(file_data(other, mode, &mut arrays)), Some(comparison))
            }
            None => (None, None),
        };
        write_page(
            &PageData {
                file,
                other,
                comparison,
            },
            &arrays,
            mode,
            out,
        )
    }
}

/// Converts the content of a file to data, and adds its arrays to `arrays`.
fn file_data(content: FileContent, mode: PageMode, arrays: &mut Arrays) -> FileData {
    let FileContent {
        name,
        title,
        dialect,
        bytes,
        outline,
        is_text,
        scene,
        source_fields,
        findings,
        losses,
        ..
    } = content;
    let (distances, is_converted, mut notes) =
        (content.distances, content.is_converted, content.notes);
    let shown = bytes.get(..MAX_BYTES).unwrap_or(&bytes);
    if shown.len() < bytes.len() {
        notes.push(format!(
            "The first {MAX_MIB} MiB of {} bytes are shown",
            bytes.len()
        ));
    }
    if losses.len() > MAX_LOSSES {
        notes.push(format!(
            "The first {MAX_LOSSES} of {} losses are shown",
            losses.len()
        ));
    }
    FileData {
        file: name,
        title,
        dialect,
        size: bytes.len() as u64,
        version: env!("CARGO_PKG_VERSION"),
        is_text,
        is_served: mode == PageMode::Served,
        bytes: arrays.add_bytes(shown.to_vec()),
        blocks: block_data(outline.blocks, arrays, &mut notes),
        tree: outline.root,
        fault: outline.fault.map(|fault| FaultData {
            path: fault.path.to_string(),
            span: fault.span,
            message: fault.message,
        }),
        model: scene.map(|mut scene| Model::of(&mut scene, distances, arrays, &mut notes)),
        source_fields: source_fields_data(source_fields, arrays),
        findings,
        losses: (losses.iter().take(MAX_LOSSES))
            .map(|loss| LossData {
                path: loss.path.to_string(),
                text: loss.to_string(),
            })
            .collect(),
        is_converted,
        notes,
    }
}

/// Writes the markup, and replaces its placeholder comments with the policy, styles, data and script.
fn write_page(
    data: &PageData,
    arrays: &Arrays,
    mode: PageMode,
    out: &mut dyn Write,
) -> io::Result<()> {
    let script = join_modules();
    for part in MARKUP.split_inclusive("-->") {
        let (markup, placeholder) = match part
            .strip_suffix("-->")
            .and_then(|part| part.rsplit_once("<!--"))
        {
            Some((markup, placeholder)) => (markup, placeholder.trim()),
            None => (part, ""),
        };
        out.write_all(markup.as_bytes())?;
        match placeholder {
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

/// Writes the content security policy. It blocks foreign scripts, and all requests except those to the server of
/// `--serve`.
fn write_policy(script: &str, mode: PageMode, out: &mut dyn Write) -> io::Result<()> {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let connect = if mode == PageMode::Served {
        "'self'"
    } else {
        "'none'"
    };
    write!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; connect-src {connect}; \
         img-src data:; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">",
        hash(script),
        hash(STYLE),
    )
}

/// Concatenates the modules, without their imports and the keyword `export`.
fn join_modules() -> String {
    let lines = MODULES.iter().flat_map(|module| module.lines());
    let without_imports = lines.filter(|line| !line.starts_with("import "));
    without_imports
        .flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"])
        .collect()
}

fn block_data(
    unpacked: Vec<UnpackedBlock>,
    arrays: &mut Arrays,
    notes: &mut Vec<String>,
) -> Vec<BlockData> {
    let mut remaining = MAX_BYTES;
    let mut omitted = 0;
    let blocks = unpacked.into_iter().map(
        |UnpackedBlock {
             packed,
             mut content,
         }| {
            let size = content.len();
            content.truncate(remaining);
            remaining -= content.len();
            omitted += size - content.len();
            BlockData {
                packed,
                size: size as u64,
                bytes: arrays.add_bytes(content),
            }
        },
    );
    let blocks = blocks.collect();
    if omitted > 0 {
        notes.push(format!(
            "{omitted} unpacked bytes are omitted: a page shows at most {MAX_MIB} MiB"
        ));
    }
    blocks
}

fn source_fields_data(source_fields: SourceFields, arrays: &mut Arrays) -> SourceFieldsData {
    let SourceFields {
        meshes,
        joints,
        animations,
    } = source_fields;
    let animations = animations.into_iter().map(|keys| KeysData {
        channels: keys
            .channels
            .iter()
            .map(|channel| arrays.add_u32(channel))
            .collect(),
        list: keys.list,
    });
    SourceFieldsData {
        animations: animations.collect(),
        meshes,
        joints,
    }
}
