//! Paths of values in a document.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// A segment of a path: `animations[1].timestamps` has three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field of a struct or of a packed word.
    Field(&'static str),
    /// An item of a list or array.
    Index(u64),
}

impl Segment {
    /// Returns the name of a field; `None` for an index.
    pub(crate) fn name(self) -> Option<&'static str> {
        if let Segment::Field(name) = self {
            Some(name)
        } else {
            None
        }
    }
}

/// The path of a value in a document, such as `animations[1].timestamps`; empty for the whole document.
///
/// The macro [`path!`](crate::path!) creates its segments.
///
/// ```
/// use meshspec::{Path, path};
///
/// let index = 1;
/// let path = Path::from(path!(animations[index].timestamps));
/// assert_eq!(path.to_string(), "animations[1].timestamps");
/// assert_eq!(path.index(7), "animations[1].timestamps[7]");
/// ```
#[derive(Debug, Clone)]
pub struct Path(Repr);

#[derive(Debug, Clone)]
enum Repr {
    Segments(Vec<Segment>),
    /// The path in a file without a declaration, with names that are not static, such as JSON keys.
    Text(String),
}

impl Path {
    /// Creates a display-only path, for a file without a declaration.
    pub fn text(path: impl Into<String>) -> Path {
        Path(Repr::Text(path.into()))
    }

    /// The segments; `None` for a [display-only](Path::text) path.
    ///
    /// ```
    /// use meshspec::layout::walk::Segment;
    /// use meshspec::{Path, path};
    ///
    /// let path = Path::from(path!(meshes[2]));
    /// assert_eq!(path.segments().unwrap(), [Segment::Field("meshes"), Segment::Index(2)]);
    /// assert_eq!(Path::text("/meshes/2").segments(), None);
    /// ```
    pub fn segments(&self) -> Option<&[Segment]> {
        match &self.0 {
            Repr::Segments(segments) => Some(segments),
            Repr::Text(_) => None,
        }
    }

    /// Returns `true` for the path of the whole document.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Segments(segments) => segments.is_empty(),
            Repr::Text(text) => text.is_empty(),
        }
    }

    /// Appends a field.
    pub fn field(self, name: &'static str) -> Path {
        self.push(Segment::Field(name))
    }

    /// Appends an index.
    pub fn index(self, index: usize) -> Path {
        self.push(Segment::Index(index as u64))
    }

    /// Appends `part`, a path relative to the value at this path.
    pub fn join(self, part: impl Into<Path>) -> Path {
        match part.into().0 {
            Repr::Segments(segments) => segments.into_iter().fold(self, Path::push),
            part @ Repr::Text(_) if self.is_empty() => Path(part),
            Repr::Text(text) => Path(Repr::Text(format!("{self}.{text}"))),
        }
    }

    fn as_text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Segments(segments) => Cow::Owned(path_text(segments)),
            Repr::Text(text) => Cow::Borrowed(text),
        }
    }

    fn push(mut self, segment: Segment) -> Path {
        match &mut self.0 {
            Repr::Segments(segments) => segments.push(segment),
            Repr::Text(text) => {
                let _ = write_segment(text, segment);
            }
        }
        self
    }
}

impl Default for Path {
    fn default() -> Path {
        Path(Repr::Segments(Vec::new()))
    }
}

impl From<&[Segment]> for Path {
    fn from(segments: &[Segment]) -> Path {
        Path(Repr::Segments(segments.to_vec()))
    }
}

impl<const N: usize> From<[Segment; N]> for Path {
    fn from(segments: [Segment; N]) -> Path {
        Path(Repr::Segments(segments.into()))
    }
}

impl From<&Path> for Path {
    fn from(path: &Path) -> Path {
        path.clone()
    }
}

impl From<String> for Path {
    fn from(text: String) -> Path {
        Path::text(text)
    }
}

impl From<&String> for Path {
    fn from(text: &String) -> Path {
        Path::from(text.as_str())
    }
}

impl From<&str> for Path {
    fn from(text: &str) -> Path {
        Path::text(text)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_text())
    }
}

/// Paths are equal if they are displayed as the same string.
impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        match (&self.0, &other.0) {
            (Repr::Segments(left), Repr::Segments(right)) => left == right,
            _ => self.as_text() == other.as_text(),
        }
    }
}

impl Eq for Path {}

impl PartialEq<str> for Path {
    fn eq(&self, text: &str) -> bool {
        self.as_text() == text
    }
}

impl PartialEq<&str> for Path {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Path {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Formats path segments: `animations[1].timestamps`.
pub fn path_text(segments: &[Segment]) -> String {
    let mut text = String::new();
    for segment in segments {
        let _ = write_segment(&mut text, *segment);
    }
    text
}

fn write_segment(text: &mut String, segment: Segment) -> fmt::Result {
    match segment {
        Segment::Field(name) if text.is_empty() => text.write_str(name),
        Segment::Field(name) => write!(text, ".{name}"),
        Segment::Index(index) => write!(text, "[{index}]"),
    }
}

/// Creates the segments of a path, written as in messages. Indices are expressions; so are field names in parentheses.
///
/// ```
/// use meshspec::{Path, path};
///
/// let (index, field) = (3, "position");
/// let steps = path!(meshes[index].vertices[2 * index].(field));
/// assert_eq!(Path::from(steps), "meshes[3].vertices[6].position");
/// ```
#[macro_export]
macro_rules! path {
    (@[$($steps:expr),*]) => { [$($steps),*] };
    (@[$($steps:expr),*] . ($name:expr) $($rest:tt)*) => {
        $crate::path!(@[$($steps,)* $crate::layout::walk::Segment::Field($name)] $($rest)*)
    };
    (@[$($steps:expr),*] . $name:ident $($rest:tt)*) => {
        $crate::path!(@[$($steps,)* $crate::layout::walk::Segment::Field(stringify!($name))] $($rest)*)
    };
    (@[$($steps:expr),*] [$index:expr] $($rest:tt)*) => {
        $crate::path!(@[$($steps,)* $crate::layout::walk::Segment::Index($index as u64)] $($rest)*)
    };
    ([$index:expr] $($rest:tt)*) => { $crate::path!(@[] [$index] $($rest)*) };
    ($($first:tt)*) => { $crate::path!(@[] . $($first)*) };
}
