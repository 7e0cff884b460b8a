//! Writes output files atomically, or to standard output.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshspec::interop::{Files, from_name, to_name};
use serde::Serialize;

use crate::failure::{Failure, RENAME, Result};
use crate::file_content::{compare_content, has_hash, have_same_content};
use crate::input::{STANDARD, is_standard, text_of};
use crate::job_log::{ImageHashes, hash_bytes};
use crate::regular_files;
use crate::temp_files::{SignalDeferral, TemporaryFile, defer_signals};

/// Returns the name of an output file for messages.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) {
        "standard output".to_owned()
    } else {
        text_of(path)
    }
}

/// Returns a usage error if `path` is an existing regular file and `force` is not set. Called before a command does any
/// work.
pub fn reject_existing(path: &Path, force: bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && !force && !is_standard(path) => {
            Err(Failure::file_exists(&text_of(path)))
        }
        _ => Ok(()),
    }
}

/// Writes a file atomically; `-` is standard output.
pub fn write(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let mut staged = StagedOutput::new(path, force);
    staged.write(content)?;
    staged.commit()
}

/// An output file and its companion files. They are written to temporary files, and moved to their paths together.
pub struct StagedOutput {
    path: PathBuf,
    force: bool,
    /// Whether to create missing folders.
    creates_folders: bool,
    files: Vec<StagedFile>,
    /// The purpose of each used path, for messages.
    purposes: BTreeMap<PathBuf, String>,
    /// The images copied by the last conversion, which may be replaced; `None` without a log.
    earlier_images: Option<ImageHashes>,
    /// The owners of the files of a batch.
    owners: Arc<FileOwners>,
    /// The content for standard output.
    stdout_content: Vec<u8>,
}

/// The output that each file of a batch belongs to, by path, so that no two outputs write the same file.
#[derive(Debug, Default)]
pub struct FileOwners(Mutex<HashMap<PathBuf, FileOwner>>);

#[derive(Debug)]
enum FileOwner {
    /// The output with this path.
    Output(PathBuf),
    /// The outputs that refer to the image. They compare its content.
    Images,
}

impl FileOwners {
    /// Reserves the paths of the outputs of a batch.
    pub fn of_outputs(outputs: impl Iterator<Item = PathBuf>) -> FileOwners {
        FileOwners(Mutex::new(
            outputs
                .map(|path| (path.clone(), FileOwner::Output(path)))
                .collect(),
        ))
    }

    /// Makes the file `path` a file of `output` or, if `is_image` is set, an image. Returns `false` if it has another
    /// owner.
    fn claim(&self, path: &Path, output: &Path, is_image: bool) -> bool {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.get(path) {
            Some(FileOwner::Output(owner)) => owner == output,
            Some(FileOwner::Images) => is_image,
            None => {
                let owner = if is_image {
                    FileOwner::Images
                } else {
                    FileOwner::Output(output.to_owned())
                };
                owners.insert(path.to_owned(), owner).is_none()
            }
        }
    }
}

/// A file that is written, but not yet moved to its path.
struct StagedFile {
    path: PathBuf,
    file: TemporaryFile,
    role: FileRole,
}

/// The role of a file in an output.
#[derive(Debug)]
enum FileRole {
    /// The output or a companion file.
    Output,
    /// An image that the output refers to. It may replace a file with this SHA-256.
    Image(Option<String>),
}

impl FileRole {
    fn is_image(&self) -> bool {
        matches!(self, FileRole::Image(_))
    }
}

/// The paths of the images that this run of the program has copied. Locked while images are moved or compared, since
/// parallel conversions may share images.
static IMAGES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn lock_images() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    IMAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StagedOutput {
    /// Creates an empty output for `path`; `-` is standard output.
    pub fn new(path: &Path, force: bool) -> StagedOutput {
        StagedOutput {
            path: path.to_owned(),
            force,
            creates_folders: false,
            files: Vec::new(),
            purposes: BTreeMap::new(),
            earlier_images: None,
            owners: Arc::default(),
            stdout_content: Vec::new(),
        }
    }

    /// Like [`new`](StagedOutput::new), but creates missing folders on commit. `earlier_images` lists the images copied
    /// by the last conversion, if there is a log.
    pub fn with_new_folders(
        path: &Path,
        force: bool,
        earlier_images: Option<ImageHashes>,
        owners: Arc<FileOwners>,
    ) -> StagedOutput {
        StagedOutput {
            creates_folders: true,
            earlier_images,
            owners,
            ..StagedOutput::new(path, force)
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the output as a companion file: see [`to_name`].
    pub fn name(&self) -> String {
        to_name(self.path.file_name().unwrap_or_default())
    }

    /// Returns the path of the companion file `name`.
    fn companion(&self, name: &str) -> PathBuf {
        if name == self.name() {
            self.path.clone()
        } else {
            self.path.with_file_name(from_name(name))
        }
    }

    /// Returns a usage error if the output file exists and must not be replaced. Called before a command does any work.
    pub fn reject_existing(&self) -> Result<()> {
        reject_existing(&self.path, self.force)
    }

    /// Writes the content to a temporary file, or directly if the output is standard output, a pipe or a device.
    pub fn write(&mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if is_standard(&self.path) {
            return Ok(write_to(io::stdout().lock(), content)?);
        }
        let path = self.path.clone();
        let written = self
            .open(&path, FileRole::Output)
            .and_then(|file| write_to(file, content));
        written.map_err(|error| Failure::io(&text_of(&path), &error))
    }

    /// Reserves the relative path `name` for the image `source`, to which the output refers.
    ///
    /// # Errors
    ///
    /// Returns a usage error if the path is already used for a file of this output, or for another output of the batch.
    pub fn reserve_image(&mut self, name: &str, source: &Path) -> Result<()> {
        let path = self.companion(name);
        let claimed = self.claim(&path, format!("the image {}", text_of(source)), true);
        claimed.map_err(|error| Failure::usage(&text_of(&path), error).with_hint(RENAME))
    }

    /// Records that `path` is used for `purpose`. Returns an error if the path is already used in this output, or for
    /// another output of the batch.
    fn claim(&mut self, path: &Path, purpose: String, is_image: bool) -> io::Result<()> {
        let is_free = self.owners.claim(path, &self.path, is_image);
        match self
            .purposes
            .get(path)
            .map(String::as_str)
            .or((!is_free).then_some("another output"))
        {
            Some(other) => {
                let message = format!("the same file for {other} and {purpose}");
                Err(io::Error::new(io::ErrorKind::InvalidInput, message))
            }
            None => {
                self.purposes.insert(path.to_owned(), purpose);
                Ok(())
            }
        }
    }

    /// Adds a copy of the image `source`, to which the output refers by the relative path `name`. Creates missing
    /// folders. Replaces only an image copied by the last conversion. With a log, returns the path and SHA-256 to
    /// record, unless an equal file exists that is not a copy.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is already used, if a different file exists there that the last conversion did not
    /// copy, or if the image cannot be written.
    pub fn add_image(
        &mut self,
        name: &str,
        bytes: &[u8],
        source: &Path,
    ) -> Result<Option<(String, String)>> {
        self.reserve_image(name, source)?;
        let path = self.companion(name);
        let failure = |error: io::Error| Failure::io(&text_of(&path), &error);
        let key = text_of(&path);
        let earlier_hash = self
            .earlier_images
            .as_ref()
            .and_then(|images| images.get(&key).cloned());
        let record = self
            .earlier_images
            .is_some()
            .then(|| (key, hash_bytes(bytes)));
        // Locked, so that no parallel conversion replaces the file between the comparisons.
        let copied = lock_images();
        match compare_content(&path, bytes).map_err(failure)? {
            Some(true) => {
                let is_copy =
                    has_hash(&path, earlier_hash.as_deref()) || copied.contains(&canonical(&path));
                return Ok(record.filter(|_| is_copy));
            }
            Some(false) if !has_hash(&path, earlier_hash.as_deref()) => {
                return Err(conflict(&path, &text_of(source)));
            }
            _ => {}
        }
        drop(copied);
        let written = self
            .open(&path, FileRole::Image(earlier_hash))
            .and_then(|mut file| file.write_all(bytes));
        written.map_err(failure)?;
        Ok(record)
    }

    /// Moves all files to their paths. On failure, removes new output files again, but not images, since other outputs
    /// may refer to them.
    pub fn commit(mut self) -> Result<()> {
        if !self.stdout_content.is_empty() {
            write_to(io::stdout().lock(), |out| {
                out.write_all(&self.stdout_content)
            })?;
        }
        // Moves images last, so that no image remains if moving the output fails.
        self.files.sort_by_key(|file| file.role.is_image());
        let has_images = self.files.last().is_some_and(|file| file.role.is_image());
        let mut images = has_images.then(lock_images);
        let guard = defer_signals();
        let mut added = Vec::new();
        let placed = self.move_all(&mut added, &mut images, &guard);
        if placed.is_err() {
            for path in added {
                // Best-effort cleanup: the original error is returned.
                let _ = fs::remove_file(path);
            }
        }
        placed
    }

    /// Moves all files to their paths. Adds the paths of new output files to `added`, and the paths of images to
    /// `images`.
    fn move_all(
        &mut self,
        added: &mut Vec<PathBuf>,
        images: &mut Option<MutexGuard<BTreeSet<PathBuf>>>,
        guard: &SignalDeferral,
    ) -> Result<()> {
        for StagedFile { path, file, role } in self.files.drain(..) {
            let failure = |error: io::Error| Failure::io(&text_of(&path), &error);
            if let (true, Some(folder)) = (self.creates_folders || role.is_image(), path.parent()) {
                fs::create_dir_all(folder)
                    .map_err(|error| Failure::io(&text_of(folder), &error))?;
            }
            let copy = file.handle().map_err(failure)?;
            let may_replace = match &role {
                FileRole::Output => self.force,
                FileRole::Image(earlier_hash) => has_hash(&path, earlier_hash.as_deref()),
            };
            let is_new = !path.exists();
            match file.move_to(&path, may_replace, guard) {
                // A parallel conversion of the same batch may have copied the same image.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && role.is_image() => {
                    let is_same = have_same_content(copy, &path).map_err(failure)?;
                    if !is_same {
                        return Err(conflict(&path, "the image of this name"));
                    }
                }
                placed => {
                    placed.map_err(failure)?;
                    match images {
                        Some(images) if role.is_image() => drop(images.insert(canonical(&path))),
                        _ => added.extend(is_new.then_some(path)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Creates a temporary file to be moved to `path`. If `path` is a pipe or device, opens it for writing instead.
    fn open(&mut self, path: &Path, role: FileRole) -> io::Result<File> {
        let path = match fs::metadata(path) {
            // Never replaces pipes and devices, such as `/dev/null`.
            Ok(metadata) if !metadata.is_file() => return File::options().write(true).open(path),
            // Replaces the target of a link, not the link.
            Ok(_) => fs::canonicalize(path)?,
            Err(_) => path.to_owned(),
        };
        let creates_folders = self.creates_folders || role.is_image();
        let is_usable = |folder: &&Path| !creates_folders || folder.is_dir();
        let folder = path
            .ancestors()
            .skip(1)
            .find(is_usable)
            .filter(|folder| !folder.as_os_str().is_empty());
        let file = TemporaryFile::new(folder.unwrap_or(Path::new(".")))?;
        let handle = file.handle()?;
        self.files.push(StagedFile { path, file, role });
        Ok(handle)
    }
}

impl Files for StagedOutput {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        regular_files::read(&self.companion(name), limit)
    }

    /// Keeps an existing image with the same content.
    fn create_image(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.companion(name);
        match !is_standard(&self.path) && matches!(compare_content(&path, bytes), Ok(Some(true))) {
            true => self.claim(&path, "an embedded image".to_owned(), false),
            false => self.create(name)?.write_all(bytes),
        }
    }

    /// Creates the output file `name`. Errors contain the name, since a scene may be written to several files.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        if is_standard(&self.path) {
            if name != STANDARD {
                return Err(io::Error::new(
                    io::ErrorKind::Unsupported,
                    "only one file can be written to standard output",
                ));
            }
            self.stdout_content.clear();
            return Ok(Box::new(&mut self.stdout_content));
        }
        let path = self.companion(name);
        let rejected = path.is_file() && !self.force;
        let file = match self.claim(&path, "the output".to_owned(), false) {
            Ok(()) if rejected => Err(io::ErrorKind::AlreadyExists.into()),
            Ok(()) => self.open(&path, FileRole::Output),
            Err(error) => Err(error),
        };
        let name = text_of(&path);
        match file {
            Ok(file) => Ok(Box::new(NamedFile { name, file })),
            Err(error) => Err(with_name(&name, &error)),
        }
    }
}

/// Returns the path with all links resolved; unchanged if the file does not exist.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Creates the failure for an image `source` that would replace a different file.
fn conflict(path: &Path, source: &str) -> Failure {
    let message = format!("a different file exists; not replaced by {source}");
    Failure::usage(&text_of(path), message).with_hint(
        "remove it, write to another folder, or embed images in glTF with --embed-images; \
             --out-dir with --log replaces images of earlier runs",
    )
}

/// An open file whose error messages contain its name.
struct NamedFile {
    name: String,
    file: File,
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file
            .write(bytes)
            .map_err(|error| with_name(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file
            .flush()
            .map_err(|error| with_name(&self.name, &error))
    }
}

fn with_name(name: &str, error: &io::Error) -> io::Error {
    match error.kind() {
        // The caller retries the write.
        io::ErrorKind::Interrupted => error.kind().into(),
        io::ErrorKind::AlreadyExists => io::Error::new(error.kind(), name),
        kind => io::Error::new(kind, format!("{name}: {error}")),
    }
}

fn write_to(
    out: impl Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    content(&mut out)?;
    out.flush()
}

/// Prints data to standard output as indented JSON.
pub fn print_json(data: &impl Serialize) -> Result<()> {
    write(Path::new(STANDARD), false, |out| {
        serde_json::to_writer_pretty(&mut *out, data)?;
        writeln!(out)
    })
}
