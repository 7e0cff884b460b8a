//! Writes files atomically, and data to standard output.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshspec::interop::Files;
use serde::Serialize;

use crate::failure::{Failure, RENAME, Result};
use crate::input::{STANDARD, is_standard};
use crate::job_log::{Images, hash, hash_of};
use crate::regular;
use crate::temporary::{Moving, Temporary, moving};

/// Returns the name of an output file for messages.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) { "standard output".to_owned() } else { path.display().to_string() }
}

/// Incorrect usage if writing to `path` would replace a file without `force`. Checked before any work is done.
pub fn reject_existing(path: &Path, force: bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && !force && !is_standard(path) => {
            Err(Failure::exists(&path.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Writes a file atomically; `-` is standard output.
pub fn write(path: &Path, force: bool, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut staged = Staged::new(path, force);
    staged.write(content)?;
    staged.commit()
}

/// An output file and its companion files, which are placed together after all are written.
pub struct Staged {
    path: PathBuf,
    force: bool,
    /// Whether missing folders are created.
    in_new_folders: bool,
    files: Vec<StagedFile>,
    /// The owner of each name: a file of the output, or an image that it refers to.
    names: BTreeMap<PathBuf, String>,
    /// The images of the last conversion, which may be replaced; `None` without a log.
    earlier: Option<Images>,
    /// The outputs of a batch, which no other file may replace.
    all: Arc<HashSet<PathBuf>>,
    /// The content for standard output.
    printed: Vec<u8>,
}

/// A file that is written but not yet placed.
struct StagedFile {
    path: PathBuf,
    file: Temporary,
    role: Role,
}

#[derive(Debug)]
enum Role {
    /// The output or a companion file.
    Output,
    /// An image that the output refers to. It may replace a file with this SHA-256.
    Image(Option<String>),
}

impl Role {
    fn is_image(&self) -> bool {
        matches!(self, Role::Image(_))
    }
}

/// The images that this run placed. Locked while images are placed or compared, since the outputs of a batch share images.
static IMAGES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn images() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    IMAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Staged {
    /// Creates an empty output for `path`; `-` is standard output.
    pub fn new(path: &Path, force: bool) -> Staged {
        Staged {
            path: path.to_owned(),
            force,
            in_new_folders: false,
            files: Vec::new(),
            names: BTreeMap::new(),
            earlier: None,
            all: Arc::default(),
            printed: Vec::new(),
        }
    }

    /// Works as [`new`](Staged::new), in folders that are created when the output is placed. `earlier` lists the images of
    /// the last conversion, if there is a log, and `all` the outputs of the batch.
    pub fn in_new_folders(
        path: &Path,
        force: bool,
        earlier: Option<Images>,
        all: Arc<HashSet<PathBuf>>,
    ) -> Staged {
        Staged { in_new_folders: true, earlier, all, ..Staged::new(path, force) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Incorrect usage if the file exists and may not be replaced. Checked before any work is done.
    pub fn reject_existing(&self) -> Result<()> {
        reject_existing(&self.path, self.force)
    }

    /// Writes the output file. Standard output, pipes and devices are written immediately.
    pub fn write(&mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if is_standard(&self.path) {
            return Ok(write_to(io::stdout().lock(), content)?);
        }
        let path = self.path.clone();
        let written = self.open(&path, Role::Output).and_then(|file| write_to(file, content));
        written.map_err(|error| Failure::io(&path.display().to_string(), &error))
    }

    /// Reserves the name of an image that the output refers to.
    ///
    /// # Errors
    ///
    /// Returns an error if a file of the output has this name.
    pub fn reserve_image(&mut self, name: &str, source: &Path) -> Result<()> {
        let path = self.path.with_file_name(name);
        let claimed = self.claim(&path, format!("the image {}", source.display()));
        claimed.map_err(|error| Failure::usage(&path.display().to_string(), error).with_hint(RENAME))
    }

    fn claim(&mut self, path: &Path, owner: String) -> io::Result<()> {
        let is_another = path != self.path && self.all.contains(path);
        match self.names.get(path).map(String::as_str).or(is_another.then_some("another output")) {
            Some(other) => {
                let message = format!("the same file for {other} and {owner}");
                Err(io::Error::new(io::ErrorKind::InvalidInput, message))
            }
            None => {
                self.names.insert(path.to_owned(), owner);
                Ok(())
            }
        }
    }

    /// Adds an image that the output refers to by the relative path `name`, as a copy of `source`. Creates missing
    /// folders. Replaces only the image of the last conversion. With a log, returns the name and SHA-256 to record.
    pub fn add_image(&mut self, name: &str, bytes: &[u8], source: &Path) -> Result<Option<(String, String)>> {
        self.reserve_image(name, source)?;
        let path = self.path.with_file_name(name);
        let failure = |error: io::Error| Failure::io(&path.display().to_string(), &error);
        let key = path.display().to_string();
        let earlier = self.earlier.as_ref().and_then(|images| images.get(&key).cloned());
        let record = self.earlier.is_some().then(|| (key, hash_of(bytes)));
        // Locked, so that no parallel conversion replaces the file between two looks at it.
        let placed = images();
        match holds(&path, bytes).map_err(failure)? {
            Some(true) => {
                let is_own = has_hash(&path, earlier.as_deref()) || placed.contains(&real(&path));
                return Ok(record.filter(|_| is_own));
            }
            Some(false) if !has_hash(&path, earlier.as_deref()) => {
                return Err(different(&path, &source.display().to_string()));
            }
            _ => {}
        }
        drop(placed);
        let written = self.open(&path, Role::Image(earlier)).and_then(|mut file| file.write_all(bytes));
        written.map_err(failure)?;
        Ok(record)
    }

    /// Moves all files to their places. On failure, removes new outputs again; images stay, since other outputs may refer
    /// to them.
    pub fn commit(mut self) -> Result<()> {
        if !self.printed.is_empty() {
            write_to(io::stdout().lock(), |out| out.write_all(&self.printed))?;
        }
        // Images last, so that a failure to write the output leaves none.
        self.files.sort_by_key(|file| file.role.is_image());
        let has_images = self.files.last().is_some_and(|file| file.role.is_image());
        let mut images = has_images.then(images);
        let moving = moving();
        let mut added = Vec::new();
        let placed = self.place_all(&mut added, &mut images, &moving);
        if placed.is_err() {
            for path in added {
                // The failure itself is reported.
                let _ = fs::remove_file(path);
            }
        }
        placed
    }

    /// Moves all files to their places. Lists new outputs, and images.
    fn place_all(
        &mut self,
        added: &mut Vec<PathBuf>,
        images: &mut Option<MutexGuard<BTreeSet<PathBuf>>>,
        moving: &Moving,
    ) -> Result<()> {
        for StagedFile { path, file, role } in self.files.drain(..) {
            let failure = |error: io::Error| Failure::io(&path.display().to_string(), &error);
            if let (true, Some(folder)) = (self.in_new_folders || role.is_image(), path.parent()) {
                fs::create_dir_all(folder)
                    .map_err(|error| Failure::io(&folder.display().to_string(), &error))?;
            }
            let copy = file.handle().map_err(failure)?;
            let replace = match &role {
                Role::Output => self.force,
                Role::Image(earlier) => has_hash(&path, earlier.as_deref()),
            };
            let is_new = !path.exists();
            match file.place(&path, replace, moving) {
                // A parallel conversion of the same batch may have copied the same image.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && role.is_image() => {
                    let is_same = have_same_content(copy, &path).map_err(failure)?;
                    if !is_same {
                        return Err(different(&path, "the image of this name"));
                    }
                }
                placed => {
                    placed.map_err(failure)?;
                    match images {
                        Some(images) if role.is_image() => drop(images.insert(real(&path))),
                        _ => added.extend(is_new.then_some(path)),
                    }
                }
            }
        }
        Ok(())
    }

    fn open(&mut self, path: &Path, role: Role) -> io::Result<File> {
        let path = match fs::metadata(path) {
            // Never replaces pipes and devices, such as `/dev/null`.
            Ok(metadata) if !metadata.is_file() => return File::options().write(true).open(path),
            // Replaces the target of a link, not the link.
            Ok(_) => fs::canonicalize(path)?,
            Err(_) => path.to_owned(),
        };
        let makes_folders = self.in_new_folders || role.is_image();
        let is_there = |folder: &&Path| !makes_folders || folder.is_dir();
        let folder = path.ancestors().skip(1).find(is_there).filter(|folder| !folder.as_os_str().is_empty());
        let file = Temporary::new(folder.unwrap_or(Path::new(".")))?;
        let handle = file.handle()?;
        self.files.push(StagedFile { path, file, role });
        Ok(handle)
    }
}

impl Files for Staged {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        regular::read(&self.path.with_file_name(name), limit)
    }

    /// Keeps an existing image with the same content.
    fn create_image(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.with_file_name(name);
        match !is_standard(&self.path) && matches!(holds(&path, bytes), Ok(Some(true))) {
            true => self.claim(&path, "an embedded image".to_owned()),
            false => self.create(name)?.write_all(bytes),
        }
    }

    /// Errors name the file, since a scene may be written to several.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        if is_standard(&self.path) {
            if name != STANDARD {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "standard output takes one file"));
            }
            self.printed.clear();
            return Ok(Box::new(&mut self.printed));
        }
        let path = self.path.with_file_name(name);
        let rejected = path.is_file() && !self.force;
        let file = match self.claim(&path, "the output".to_owned()) {
            Ok(()) if rejected => Err(io::ErrorKind::AlreadyExists.into()),
            Ok(()) => self.open(&path, Role::Output),
            Err(error) => Err(error),
        };
        let name = path.display().to_string();
        match file {
            Ok(file) => Ok(Box::new(NamedFile { name, file })),
            Err(error) => Err(named(&name, &error)),
        }
    }
}

/// Returns the path without links, if the file exists.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the failure that an image would replace a different file.
fn different(path: &Path, source: &str) -> Failure {
    let message = format!("a different file exists; not replaced by {source}");
    Failure::usage(&path.display().to_string(), message).with_hint(
        "remove it, write to another folder, or embed images in glTF with --embed-images; \
             --out-dir with --log replaces images of earlier runs",
    )
}

/// Returns `true` if a file has this SHA-256.
fn has_hash(path: &Path, expected: Option<&str>) -> bool {
    expected.is_some_and(|expected| hash(path).is_ok_and(|found| found == expected))
}

/// Returns whether the file at a path has this content; `None` if there is no file.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<Option<bool>> {
    match File::open(path) {
        Ok(file) => has_content(file, bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns `true` if a file has this content.
fn has_content(file: File, bytes: &[u8]) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut content = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64).read_to_end(&mut content)?;
    Ok(content == bytes)
}

fn have_same_content(mut file: File, path: &Path) -> io::Result<bool> {
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut content)?;
    has_content(File::open(path)?, &content)
}

/// A file whose errors name it.
struct NamedFile {
    name: String,
    file: File,
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| named(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.name, &error))
    }
}

fn named(name: &str, error: &io::Error) -> io::Error {
    match error.kind() {
        // The writer retries.
        io::ErrorKind::Interrupted => error.kind().into(),
        io::ErrorKind::AlreadyExists => io::Error::new(error.kind(), name),
        kind => io::Error::new(kind, format!("{name}: {error}")),
    }
}

fn write_to(out: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    content(&mut out)?;
    out.flush()
}

/// Prints data as JSON.
pub fn print_json(data: &impl Serialize) -> Result<()> {
    write(Path::new(STANDARD), false, |out| {
        serde_json::to_writer_pretty(&mut *out, data)?;
        writeln!(out)
    })
}
