//! Prints the values of a file as JSON.

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::ops::{ControlFlow, Range};
use std::{io, ptr};

use serde::Serialize;

use super::wording::{declared_type_name, enum_name, short_doc};
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{BitRange, Shape, Type};
use crate::layout::decoding::DecodedValue;
use crate::layout::expr::Value;
use crate::layout::walk::{Fault, InlineBlocks, Node, Segment, Visit, Visitor};
use crate::{Rule, Span, Text, float};

/// The version of the notation, which changes when the meaning of a key does.
pub(in crate::layout) const VERSION: u32 = 1;

/// The header of the JSON of a dump.
#[derive(Debug, Clone, Copy)]
pub struct JsonHead<'h> {
    /// The name of the file.
    pub file: &'h str,
    /// The name of its format.
    pub format: &'h str,
    /// The name of its layout.
    pub layout: &'h str,
}

/// Prints the values that it visits.
///
/// The span of a struct or list is known only at its end, so its notes follow its parts.
pub(super) struct JsonWriter<'w, W> {
    out: &'w mut W,
    /// The values that contain the next one, the outermost first.
    open: Vec<OpenValue>,
    /// Notes on the next value: the packed bytes of the block that contains it.
    next_notes: Notes,
    /// The declarations of the values so far.
    declarations: HashSet<DeclarationKey>,
    inline_blocks: InlineBlocks,
    covered: CoveredRanges,
    /// The error that ended the dump.
    error: Option<io::Error>,
}

/// A value whose JSON is not complete yet.
struct OpenValue {
    /// The number of segments in its path.
    depth: usize,
    kind: OpenKind,
    /// The place of the packed block that contains the value.
    block: Option<Range<u64>>,
    /// Whether the values that contain this one are not in the block.
    starts_block: bool,
    /// Whether a key or item was printed.
    has_entries: bool,
    /// The keys after the parts.
    notes: Notes,
    /// The notes on the inline blocks of the value, by their names.
    blocks: Vec<(&'static str, Notes)>,
    /// Whether no parts follow. Trailing bytes may still follow.
    has_ended: bool,
    /// The number of inline blocks inside whose content has not ended. The content has the path of this value.
    inline_blocks: usize,
}

/// The keys that begin with `$`, and their values.
#[derive(Default)]
struct Notes(String);

/// What declares a value: the addresses of its type, field, variant and bit field, and the first bit in the whole word.
type DeclarationKey = [usize; 5];

fn declaration_key(node: &Node) -> DeclarationKey {
    [
        ptr::from_ref(node.ty).addr(),
        node.field.map_or(0, |field| ptr::from_ref(field).addr()),
        node.variant
            .map_or(0, |variant| ptr::from_ref(variant).addr()),
        node.bit_field
            .map_or(0, |field| ptr::from_ref(field).addr()),
        node.bits.map_or(0, |bits| bits.offset as usize),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum OpenKind {
    /// An object with a key per field.
    Struct,
    /// An object with a key per bit field.
    Word,
    /// The items of a list, each with its notes.
    Items,
    /// Numbers without notes: their places follow from the place of the list.
    Numbers,
    /// A list of numbers in such a list, or the content of an inline block.
    InnerNumbers,
    /// The items of a list that is the content of an inline block, in the object of the struct that contains the block.
    InlineItems,
    /// A number or string.
    Scalar,
}

impl Notes {
    fn add(&mut self, key: &str, value: impl fmt::Display) {
        let comma = if self.0.is_empty() { "" } else { ", " };
        // Writing to a string never fails.
        let _ = write!(self.0, "{comma}\"${key}\": {value}");
    }

    fn append(&mut self, Notes(others): &Notes) {
        if !others.is_empty() {
            self.0.push_str(", ");
            self.0.push_str(others);
        }
    }

    fn add_text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.add(key, json(text));
        }
    }

    fn add_range(&mut self, key: &str, Range { start, end }: &Range<u64>) {
        self.add(key, format_args!("[{start}, {end}]"));
    }

    /// Adds the name and the decoded value of a value.
    fn add_decoded(&mut self, node: &Node, value: &Value) {
        self.add_text("name", enum_name(node, value).unwrap_or_default());
        if let (Some(decoded), _) = node.decode(value) {
            self.add("decoded", json(JsonDecoded(&decoded)));
        }
    }

    /// Adds the bits, the type, the unit and the meaning of a value.
    fn add_declaration(&mut self, node: &Node) {
        if let Some(BitRange { offset, width }) = node.bits {
            self.add("bits", format_args!("[{offset}, {width}]"));
        }
        // The number of items is different wherever a field occurs.
        self.add_text("type", &declared_type_name(node));
        self.add_text("unit", node.decoding.unit);
        self.add_text("meaning", &short_doc(node));
    }

    /// Returns the notes on bytes that are no value, as an object.
    fn of_bytes(span: &Span, bytes: &[u8], packing: &str) -> String {
        let mut digits = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Writing to a string never fails.
            let _ = write!(digits, "{byte:02x}");
        }
        let mut notes = Notes::default();
        notes.add("bytes", format_args!("\"{digits}\""));
        notes.add_range("at", span.range());
        if let Some(block) = block_of(span) {
            notes.add_range("in", &block);
        }
        notes.add_text("packing", packing);
        format!("{{{}}}", notes.0)
    }
}

impl<'w, W: io::Write> JsonWriter<'w, W> {
    /// Prints the keys before the values. `path` is the path of the only value that is printed.
    pub fn new(
        out: &'w mut W,
        head: &JsonHead,
        size: u64,
        path: Option<&str>,
    ) -> io::Result<JsonWriter<'w, W>> {
        write!(out, "{{\n  \"file\": {}", json(head.file))?;
        write!(out, ",\n  \"format\": {}", json(head.format))?;
        write!(out, ",\n  \"layout\": {}", json(head.layout))?;
        write!(out, ",\n  \"version\": {VERSION},\n  \"size\": {size}")?;
        if let Some(path) = path {
            write!(out, ",\n  \"path\": {}", json(path))?;
        }
        Ok(JsonWriter {
            out,
            open: Vec::new(),
            next_notes: Notes::default(),
            declarations: HashSet::new(),
            inline_blocks: InlineBlocks::default(),
            covered: CoveredRanges::default(),
            error: None,
        })
    }

    /// Ends the JSON with the bytes of `file` that no value covers, or with the fault that ended the dump.
    pub fn finish(
        mut self,
        file: &[u8],
        shows_gaps: bool,
        fault: Option<(&Fault, Option<&'static Rule>)>,
    ) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        while self.close_last()? {}
        let gaps = std::mem::take(&mut self.covered).gaps(file.len() as u64);
        if shows_gaps && !gaps.is_empty() {
            write!(self.out, ",\n  \"gaps\": [")?;
            for (index, gap) in gaps.iter().enumerate() {
                // Gaps are within the file.
                let bytes = file.get(gap.start as usize..gap.end as usize);
                let comma = if index > 0 { "," } else { "" };
                let span = Span::Bytes(gap.clone());
                let gap = Notes::of_bytes(&span, bytes.unwrap_or_default(), "");
                write!(self.out, "{comma}\n    {gap}")?;
            }
            write!(self.out, "\n  ]")?;
        }
        if let Some((fault, rule)) = fault {
            #[derive(Serialize)]
            struct FaultData<'f> {
                rule: Option<&'static Rule>,
                path: &'f crate::Path,
                span: &'f Span,
                message: &'f str,
            }
            let Fault {
                path,
                span,
                message,
                ..
            } = fault;
            let data = FaultData {
                rule,
                path,
                span,
                message,
            };
            write!(self.out, ",\n  \"error\": {}", json(&data))?;
        }
        writeln!(self.out, "\n}}")
    }

    /// Calls `print`, unless the dump has ended with an error.
    fn try_print(&mut self, print: impl FnOnce(&mut Self) -> io::Result<()>) -> ControlFlow<()> {
        if self.error.is_none() {
            self.error = print(self).err();
        }
        match self.error {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Starts a value: ends those before it, and prints the key.
    fn start_value(&mut self, path: &[Segment], is_bit_field: bool) -> io::Result<()> {
        self.close_before(path.len(), is_bit_field)?;
        let Some(outer) = self.open.last_mut() else {
            return write!(self.out, ",\n  \"value\": ");
        };
        let is_first = !std::mem::replace(&mut outer.has_entries, true);
        match outer.kind {
            OpenKind::Numbers | OpenKind::InnerNumbers => {
                self.out.write_all(if is_first { b"" } else { b", " })
            }
            OpenKind::Items | OpenKind::InlineItems => self.start_line(is_first),
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => {
                let name = path.last().and_then(|step| step.name()).unwrap_or_default();
                self.start_line(is_first)?;
                write!(self.out, "\"{name}\": ")
            }
        }
    }

    /// Starts a line for a part of the last open value.
    fn start_line(&mut self, is_first: bool) -> io::Result<()> {
        self.out.write_all(if is_first { b"\n" } else { b",\n" })?;
        write!(self.out, "{:1$}", "", 2 + 2 * self.open.len())
    }

    /// Ends the values that do not contain the next one, whose path has `depth` segments.
    fn close_before(&mut self, depth: usize, is_bit_field: bool) -> io::Result<()> {
        while let Some(last) = self.open.last() {
            let is_over = match last.kind {
                OpenKind::Word => !is_bit_field || last.depth >= depth,
                _ => last.has_ended,
            };
            if !is_over {
                break;
            }
            self.close_last()?;
        }
        Ok(())
    }

    /// Ends the last open value. Returns `false` if there is none.
    fn close_last(&mut self) -> io::Result<bool> {
        let Some(mut value) = self.open.pop() else {
            return Ok(false);
        };
        if !value.blocks.is_empty() {
            let mut blocks = Vec::new();
            for (name, Notes(notes)) in &value.blocks {
                blocks.push(format!("\"{name}\": {{{notes}}}"));
            }
            let blocks = blocks.join(", ");
            value.notes.add("blocks", format_args!("{{{blocks}}}"));
        }
        let indent = 2 + 2 * self.open.len();
        let Notes(notes) = &value.notes;
        let is_list = matches!(value.kind, OpenKind::Items | OpenKind::Numbers);
        match value.kind {
            OpenKind::InnerNumbers => {
                self.out.write_all(b"]")?;
                return Ok(true);
            }
            OpenKind::InlineItems => {
                if value.has_entries {
                    write!(self.out, "\n{:indent$}", "")?;
                }
                self.out.write_all(b"]")?;
                return Ok(true);
            }
            OpenKind::Numbers => self.out.write_all(b"]")?,
            OpenKind::Items if value.has_entries => write!(self.out, "\n{:indent$}]", "")?,
            OpenKind::Items => self.out.write_all(b"]")?,
            OpenKind::Struct | OpenKind::Word if value.has_entries => {
                if !notes.is_empty() {
                    write!(self.out, ",\n{:1$}{notes}", "", indent + 2)?;
                }
                write!(self.out, "\n{:indent$}}}", "")?;
                return Ok(true);
            }
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => {}
        }
        let comma = if is_list && !notes.is_empty() {
            ", "
        } else {
            ""
        };
        write!(self.out, "{comma}{notes}}}")?;
        Ok(true)
    }

    /// Opens a value, whose notes start with those on its packed bytes.
    fn open(&mut self, node: &Node, kind: OpenKind) -> &mut OpenValue {
        let block = block_of(&node.span);
        let outer = self.open.last().and_then(|outer| outer.block.as_ref());
        let notes = match kind {
            OpenKind::InnerNumbers => Notes::default(),
            _ => std::mem::take(&mut self.next_notes),
        };
        self.open.push(OpenValue {
            depth: node.path.len(),
            kind,
            starts_block: block.as_ref() != outer,
            block,
            has_entries: false,
            notes,
            blocks: Vec::new(),
            has_ended: false,
            inline_blocks: 0,
        });
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn print_leaf(&mut self, node: &Node, value: &Value) -> io::Result<()> {
        self.start_value(node.path, node.bit_field.is_some())?;
        if self.open.last().is_some_and(OpenValue::has_plain_items) {
            return print_value(self.out, value);
        }
        let is_new = self.declarations.insert(declaration_key(node));
        let is_word = matches!(value, Value::Bits(..));
        // Fields of words have the place of the word.
        let has_place = self
            .open
            .last()
            .is_none_or(|outer| outer.kind != OpenKind::Word);
        let is_decoded = node.decoding.decode.is_some();
        if !is_new && !is_word && !has_place && !is_decoded {
            return print_value(self.out, value);
        }
        let mut notes = Notes::default();
        match value {
            Value::Int(number) => notes.add("value", number),
            value => notes.add("value", json(JsonValue(value))),
        }
        if let Value::Text(text) = value
            && text.len() == node.bytes.len()
        {
            notes.add("unterminated", true);
        }
        notes.add_decoded(node, value);
        notes.append(&std::mem::take(&mut self.next_notes));
        if has_place {
            self.add_place(&mut notes, node);
        }
        if is_new {
            notes.add_declaration(node);
        }
        let is_block = node.field.is_some_and(|field| field.block.is_some());
        let kind = match value {
            Value::Bits(..) => OpenKind::Word,
            // Trailing bytes of the block may follow.
            _ if is_block => OpenKind::Scalar,
            _ => return write!(self.out, "{{{}}}", notes.0),
        };
        self.out.write_all(b"{")?;
        let word = self.open(node, kind);
        (word.notes, word.has_ended) = (notes, true);
        Ok(())
    }

    /// Adds the place of a number or string, and of the packed block that starts with it.
    fn add_place(&self, notes: &mut Notes, node: &Node) {
        notes.add_range("at", node.span.range());
        let block = block_of(&node.span);
        let outer = self.open.last().and_then(|outer| outer.block.as_ref());
        if let Some(block) = block.as_ref().filter(|block| Some(*block) != outer) {
            notes.add_range("in", block);
        }
    }

    fn print_start(&mut self, node: &Node) -> io::Result<()> {
        self.close_before(node.path.len(), false)?;
        // The content of an inline block has the path of the value that contains it.
        if let Some(last) = self.open.last_mut()
            && last.depth == node.path.len()
        {
            if node.ty.item_type_and_count().is_some() {
                return self.print_inline_list(node);
            }
            last.inline_blocks += 1;
            return Ok(());
        }
        self.start_value(node.path, false)?;
        let kind = match node.ty.item_type_and_count() {
            Some(_) if self.open.last().is_some_and(OpenValue::has_plain_items) => {
                OpenKind::InnerNumbers
            }
            Some(_) if has_plain_items(node) => OpenKind::Numbers,
            Some(_) => OpenKind::Items,
            None => OpenKind::Struct,
        };
        self.out.write_all(match kind {
            OpenKind::Numbers | OpenKind::Items => b"{\"$items\": [",
            OpenKind::InnerNumbers | OpenKind::InlineItems => b"[",
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => b"{",
        })?;
        self.open(node, kind);
        Ok(())
    }

    /// Starts a list that is the content of an inline block.
    fn print_inline_list(&mut self, node: &Node) -> io::Result<()> {
        let Some(outer) = self.open.last_mut() else {
            return Ok(());
        };
        let is_first = !std::mem::replace(&mut outer.has_entries, true);
        self.start_line(is_first)?;
        self.out.write_all(b"\"$items\": [")?;
        let kind = if has_plain_items(node) {
            OpenKind::InnerNumbers
        } else {
            OpenKind::InlineItems
        };
        let block = self.open.last().and_then(|outer| outer.block.clone());
        // The list has no notes, so its items say in which block they are.
        self.open(node, kind).block = block;
        Ok(())
    }

    fn print_end(&mut self, node: &Node) -> io::Result<()> {
        self.close_before(node.path.len(), false)?;
        let Some(value) = self.open.last_mut() else {
            return Ok(());
        };
        if value.inline_blocks > 0 {
            value.inline_blocks -= 1;
            return Ok(());
        }
        value.has_ended = true;
        if let OpenKind::InnerNumbers | OpenKind::InlineItems = value.kind {
            return Ok(());
        }
        value.notes.add_range("at", node.span.range());
        if let (true, Some(block)) = (value.starts_block, &value.block) {
            value.notes.add_range("in", block);
        }
        if self.declarations.insert(declaration_key(node)) {
            value.notes.add_declaration(node);
        }
        Ok(())
    }

    fn print_trailing(&mut self, path: &[Segment], span: &Span, bytes: &[u8]) -> io::Result<()> {
        let trailing = Notes::of_bytes(span, bytes, "");
        // Ends the parts of the value that the bytes follow, but not the value.
        while let Some(last) = self.open.last() {
            let is_inline_list = last.has_ended
                && matches!(last.kind, OpenKind::InlineItems | OpenKind::InnerNumbers);
            if last.depth <= path.len() && !is_inline_list {
                break;
            }
            self.close_last()?;
        }
        if let Some(last) = self.open.last_mut() {
            if !last.has_ended
                && let Some(name) = self.inline_blocks.block_before(path, span)
            {
                last.notes_on_block(name).add("trailing", trailing);
                return Ok(());
            }
            if !path.is_empty() {
                last.notes.add("trailing", trailing);
                return Ok(());
            }
        }
        // The bytes at the end of the file.
        while self.close_last()? {}
        write!(self.out, ",\n  \"trailing\": {trailing}")
    }

    fn print_packed(&mut self, node: &Node) -> io::Result<()> {
        self.close_before(node.path.len() + 1, false)?;
        let Some((field, block)) = node.field.and_then(|field| Some((field, field.block?))) else {
            return Ok(());
        };
        let packed = Notes::of_bytes(&node.span, node.bytes, block.packing.name());
        match self.open.last_mut() {
            Some(outer) if block.inline => outer.notes_on_block(field.name).add("packed", packed),
            _ => self.next_notes.add("packed", packed),
        }
        Ok(())
    }
}

impl OpenValue {
    fn notes_on_block(&mut self, name: &'static str) -> &mut Notes {
        let known = self.blocks.iter().position(|(known, _)| *known == name);
        let index = known.unwrap_or_else(|| {
            self.blocks.push((name, Notes::default()));
            self.blocks.len() - 1
        });
        &mut self.blocks[index].1
    }

    fn has_plain_items(&self) -> bool {
        matches!(self.kind, OpenKind::Numbers | OpenKind::InnerNumbers)
    }
}

impl<W: io::Write> Visitor for JsonWriter<'_, W> {
    fn enter(&mut self, node: &Node) -> Visit {
        match self.try_print(|writer| writer.print_start(node)) {
            ControlFlow::Continue(()) => Visit::All,
            ControlFlow::Break(()) => Visit::Stop,
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.try_print(|writer| writer.print_leaf(node, value))
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.try_print(|writer| {
            // The object of a struct has one key for its own magic bytes, and none for those of inline content.
            let Some(outer) = writer
                .open
                .last_mut()
                .filter(|outer| outer.inline_blocks == 0)
            else {
                return Ok(());
            };
            let is_first = !std::mem::replace(&mut outer.has_entries, true);
            writer.start_line(is_first)?;
            let magic = json(Text::from(node.bytes.to_vec()));
            write!(writer.out, "\"$magic\": {magic}")
        })
    }

    fn visit_unpacked(&mut self, node: &Node, _: &[u8]) {
        self.covered.add(&node.span);
        // If printing fails, the next value ends the walk.
        let _ = self.try_print(|writer| writer.print_packed(node));
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        self.inline_blocks.add(node);
        true
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.try_print(|writer| writer.print_end(node))
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        // If printing fails, the next value ends the walk.
        let _ = self.try_print(|writer| writer.print_trailing(path, &span, bytes));
    }
}

/// Returns the place of the packed block that contains a span.
fn block_of(span: &Span) -> Option<Range<u64>> {
    match span {
        Span::Unpacked { packed, .. } => Some(packed.clone()),
        Span::Bytes(_) | Span::Text { .. } => None,
    }
}

/// Returns `true` for a list whose innermost items are numbers without notes of their own.
fn has_plain_items(node: &Node) -> bool {
    let is_number = match node.ty.flatten().item.without_byte_order() {
        Type::Unsigned(_) | Type::Signed(_) | Type::Float(_) => true,
        Type::Declared(declaration) => matches!(declaration.shape, Shape::Enum { .. }),
        _ => false,
    };
    is_number && node.decoding.decode.is_none()
}

/// Returns data as JSON on one line.
fn json(data: impl Serialize) -> String {
    // Strings, numbers and structs always have a JSON.
    serde_json::to_string(&data).unwrap_or_default()
}

/// Prints a number or string.
fn print_value(out: &mut impl io::Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Int(number) => write!(out, "{number}"),
        value => Ok(serde_json::to_writer(out, &JsonValue(value))?),
    }
}

struct JsonValue<'v>(&'v Value);

impl Serialize for JsonValue<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Int(number) => serializer.serialize_i128(*number),
            Value::Wide(number) => serializer.serialize_u128(*number),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::F32(number) => float::serialize(number, serializer),
            Value::F64(number) => float::serialize(number, serializer),
            Value::Bits(word, _) => serializer.serialize_u128(*word),
            Value::Text(bytes) => Text::from(bytes.clone()).serialize(serializer),
            Value::Struct(_) => serializer.serialize_none(),
        }
    }
}

struct JsonDecoded<'v>(&'v DecodedValue);

impl Serialize for JsonDecoded<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            DecodedValue::Number(number) => JsonValue(number).serialize(serializer),
            DecodedValue::List(list) => serializer.collect_seq(list.iter().map(JsonValue)),
        }
    }
}
