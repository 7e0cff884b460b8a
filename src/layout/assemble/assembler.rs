//! The assembler itself: goes through a declaration and writes what the source gives.

use std::borrow::Cow;

use super::frame::Frame;
use super::known::Known;
use super::number;
use super::output::{Output, Refused};
use super::place::{Chunk, alignment};
use super::source::{Source, Supply};
use crate::layout::walk::{Node, Segment};
use crate::layout::{Decoding, Expr, Field, Shape, Type, Value, Variant};
use crate::{Error, Limits, Result, Span};

/// Each pass finds out what others need, which are no deeper than structs and checksums lie in each other.
const MAX_PASSES: usize = 64;

/// The bytes of one value of type `ty` that is made of what `source` gives: all of a file.
///
/// # Errors
///
/// The first value that is left out and follows from nothing, does not fit its field, or lies where other values do; if
/// values that follow from each other do not settle; and if the output would be larger than the
/// [limits](Limits::max_decoded) allow.
pub fn assemble(ty: &'static Type, source: &mut impl Source, limits: &Limits) -> Result<Vec<u8>> {
    let mut known = Known::new(source.recounts(), alignment(ty));
    for _ in 0..MAX_PASSES {
        known.begin();
        let mut assembler = Assembler { source, path: Vec::new(), limits, known: &mut known, clash: None };
        let written = assembler.file(ty);
        let clash = assembler.clash;
        if known.solve(source) {
            // What was wrong may have been so for want of what is known now.
            continue;
        }
        let out = written?;
        if !known.complete(source)? {
            return clash.map_or(Ok(out.into_bytes()), Err);
        }
    }
    Err(Error::inexpressible("values that follow from others depend on each other in a circle"))
}

/// What to write next.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) ty: &'static Type,
    pub(super) field: Option<&'static Field>,
    /// The alternative of a choice that it is.
    pub(super) variant: Option<&'static Variant>,
    pub(super) arguments: &'static [Expr],
}

/// The end of what was written, the number of its items, and what expressions may see of it.
pub(super) struct Written {
    pub(super) end: u64,
    pub(super) count: u64,
    pub(super) value: Option<Value>,
}

pub(super) struct Assembler<'s, S> {
    pub(super) source: &'s mut S,
    pub(super) path: Vec<Segment>,
    pub(super) limits: &'s Limits,
    pub(super) known: &'s mut Known,
    /// The first value that lies where others do. A pass that is not the last may have wrong offsets.
    clash: Option<Error>,
}

/// A value that is about to be written; it has no bytes yet.
pub(super) fn node<'w>(path: &'w [Segment], item: &Item, at: u64) -> Node<'w> {
    let Item { ty, field, variant, .. } = *item;
    let span = Span::Bytes(at..at);
    let (decoding, bytes) = (Decoding::NONE, &[]);
    Node { path, ty, field, variant, decoding, span, bytes, count: None, bit_field: None, bits: None }
}

impl<S: Source> Assembler<'_, S> {
    pub(super) fn error(&self, message: impl ToString) -> Error {
        Error::inexpressible(message).at(self.path.as_slice())
    }

    /// Room for a file, or the content of a block. It is bounded by what is given: an offset may say anything.
    pub(super) fn output(&self) -> Output {
        Output::new(self.limits.max_decoded.min(self.source.max_size()))
    }

    fn file(&mut self, ty: &'static Type) -> Result<Output> {
        let mut out = self.output();
        let item = Item { ty, field: None, variant: None, arguments: &[] };
        let end = self.value(&mut out, 0, &item, &Frame::root())?.end;
        self.trailing(&mut out, end)?;
        let origin = self.source.origin(&[]);
        self.known.add_chunk(Chunk { path: Vec::new(), at: Some(0), size: end, origin }, &mut out);
        self.known.place(&out);
        for (offset, bytes) in self.source.gaps() {
            let offset = self.known.moved(offset);
            if let Err(Refused::TooLarge(message) | Refused::Clash(message)) = out.fill(offset, bytes) {
                return Err(Error::inexpressible(message));
            }
        }
        Ok(out)
    }

    /// What lies behind all fields that end at `end`; returns its end.
    pub(super) fn trailing(&mut self, out: &mut Output, end: u64) -> Result<u64> {
        let at = end.max(out.reached);
        let Some(bytes) = self.source.trailing(&self.path).map(<[u8]>::to_vec) else { return Ok(end) };
        self.write(out, at, &bytes)?;
        Ok(at + bytes.len() as u64)
    }

    pub(super) fn write(&mut self, out: &mut Output, at: u64, bytes: &[u8]) -> Result<()> {
        let refused = out.write(at, bytes);
        self.accept(refused)
    }

    pub(super) fn accept(&mut self, result: Result<(), Refused>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(Refused::TooLarge(message)) => Err(self.error(message)),
            Err(Refused::Clash(message)) => {
                let error = self.error(message);
                self.clash.get_or_insert(error);
                Ok(())
            }
        }
    }

    /// Writes one value.
    pub(super) fn value(&mut self, out: &mut Output, at: u64, item: &Item, frame: &Frame) -> Result<Written> {
        match item.ty {
            Type::Unsigned(_) | Type::Signed(_) | Type::Float(_) | Type::NulString => {
                self.leaf(out, at, item, item.ty)
            }
            Type::Array(inner, count) => self.items(out, at, item, inner, Some(*count), frame),
            Type::List(inner) => self.items(out, at, item, inner, None, frame),
            Type::Declared(declaration) => self.declared(out, at, item, declaration, frame),
        }
    }

    /// Writes a value that is stored as the plain type `stored`: a number, an enum, a packed word, a string.
    pub(super) fn leaf(&mut self, out: &mut Output, at: u64, item: &Item, stored: &Type) -> Result<Written> {
        match self.given(item, at)? {
            Some(value) => self.put(out, at, item, stored, value),
            None => self.left_out(out, at, item, stored),
        }
    }

    /// What a value is, if it is given or was found out in an earlier pass.
    pub(super) fn given(&mut self, item: &Item, at: u64) -> Result<Option<Value>> {
        let given = self.source.leaf(&node(&self.path, item, at)).map(|given| given.map(Cow::into_owned));
        // It is asked in any case, so that it knows that there is a place for the value.
        let given = match self.known.computed(&self.path) {
            Some(number) => Ok(Some(Value::Int(number))),
            None => given,
        };
        let given = given.map_err(|message| self.error(message))?;
        given.map(|value| self.with_computed_bits(value)).transpose()
    }

    /// Writes a group, which the source has been told of: what `body` writes.
    pub(super) fn group(
        &mut self,
        at: u64,
        item: &Item,
        body: impl FnOnce(&mut Self) -> Result<Written>,
    ) -> Result<Written> {
        let depth = self.path.len();
        let written = body(self);
        // An error ends it early.
        self.path.truncate(depth);
        self.source.leave(&node(&self.path, item, at));
        written
    }

    /// A packed word with those of its fields that were found out in an earlier pass.
    fn with_computed_bits(&mut self, value: Value) -> Result<Value> {
        let Value::Bits(mut word, declaration) = value else { return Ok(value) };
        let (Shape::Bits { fields, .. }, false) = (declaration.shape, self.known.is_empty()) else {
            return Ok(value);
        };
        for field in fields {
            self.path.push(Segment::Field(field.name));
            if let Some(number) = self.known.computed(&self.path) {
                word = number::with_bits(word, field, number).map_err(|message| self.error(message))?;
            }
            self.path.pop();
        }
        Ok(Value::Bits(word, declaration))
    }

    fn put(
        &mut self,
        out: &mut Output,
        at: u64,
        item: &Item,
        stored: &Type,
        value: Value,
    ) -> Result<Written> {
        let (bytes, size) = match (stored, &value) {
            (Type::NulString, Value::Text(text)) => {
                if text.contains(&0) {
                    return Err(self.error("contains a NUL, which would end it"));
                }
                let ends = item.field.is_none() && self.source.lacks_nul(&node(&self.path, item, at));
                self.write(out, at, text)?;
                let end = at + text.len() as u64;
                if !ends {
                    self.write(out, end, &[0])?;
                }
                let end = end + u64::from(!ends);
                return Ok(Written { end, count: 0, value: Some(value) });
            }
            _ => number::encode(stored, &value).map_err(|message| self.error(message))?,
        };
        self.write(out, at, &bytes[..size])?;
        Ok(Written { end: at + size as u64, count: 0, value: Some(value) })
    }

    /// Makes room for a value that other values may tell.
    fn left_out(&mut self, out: &mut Output, at: u64, item: &Item, stored: &Type) -> Result<Written> {
        self.known.miss(&self.path);
        let size = stored.size().unwrap_or(item.ty.size().unwrap_or_default());
        self.write(out, at, &[0; 16][..(size as usize).min(16)])?;
        Ok(Written { end: at + size, count: 0, value: None })
    }

    fn items(
        &mut self,
        out: &mut Output,
        at: u64,
        list: &Item,
        inner: &'static Type,
        fixed: Option<u64>,
        frame: &Frame,
    ) -> Result<Written> {
        let count = match self.source.enter(&node(&self.path, list, at)) {
            Err(message) => return Err(self.error(message)),
            Ok(Supply::Bytes(bytes, count)) => {
                let (refused, size) = (out.write(at, bytes), bytes.len() as u64);
                return self.group(at, list, |assembler| {
                    assembler.accept(refused)?;
                    Ok(Written { end: at.saturating_add(size), count, value: None })
                });
            }
            Ok(Supply::Parts(given)) => fixed.unwrap_or(given),
        };
        let item = Item { ty: inner, field: None, arguments: list.arguments, variant: None };
        self.group(at, list, |assembler| {
            let mut end = at;
            for index in 0..count {
                assembler.path.push(Segment::Index(index));
                let next = assembler.value(out, end, &item, frame)?.end;
                assembler.path.pop();
                if next == end {
                    // Items without bytes: all that follow are the same.
                    break;
                }
                end = next;
            }
            Ok(Written { end, count, value: None })
        })
    }
}
