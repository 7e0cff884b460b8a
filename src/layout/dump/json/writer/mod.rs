//! Prints values while a file is walked.

mod given;
mod open_value;

use std::io::{self, BufWriter, Write};
use std::ops::{ControlFlow, Range};

use serde::Serialize;

use super::JsonHead;
use super::annotations::{Annotations, SeenDeclarations, json, packed_block, print_value};
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{Packing, Shape, Type};
use crate::layout::dump::JSON_VERSION;
use crate::layout::expr::Value;
use crate::layout::tree::ComputedFields;
use crate::layout::walk::{Fault, InlineBlockSpans, Node, Segment, Visit, Visitor};
use crate::{Rule, Span, Text};
use open_value::{OpenKind, OpenValue};

/// Prints the values that it visits.
///
/// The span of a struct or list is known only at its end, so annotations follow the parts.
pub(super) struct JsonWriter<'w, W: Write> {
    /// Collects the keys and values, each of which is a few bytes long.
    out: BufWriter<&'w mut W>,
    /// The values that contain the next one, the outermost first.
    open: Vec<OpenValue>,
    /// Annotations of the next value: the packed bytes of the block that contains it.
    next_annotations: Annotations,
    /// Whether the next value is the content of a stored block, which trailing bytes may follow.
    may_have_trailing: bool,
    declarations: SeenDeclarations,
    /// The fields to omit; `None` to print and annotate all values.
    computed: Option<&'w ComputedFields>,
    inline_blocks: InlineBlockSpans,
    covered: CoveredRanges,
    /// The error that ended the dump.
    error: Option<io::Error>,
}

impl<'w, W: Write> JsonWriter<'w, W> {
    /// Prints the keys before the values. `path` is the path of the only value that is printed. With `computed`, omits
    /// these fields and all annotations.
    pub fn new(
        out: &'w mut W,
        head: &JsonHead,
        size: u64,
        path: Option<&str>,
        computed: Option<&'w ComputedFields>,
    ) -> io::Result<JsonWriter<'w, W>> {
        let mut out = BufWriter::new(out);
        out.write_all(b"{\n  ")?;
        if computed.is_none() {
            write!(out, "\"file\": {},\n  ", json(head.file))?;
        }
        write!(out, "\"format\": {},\n  ", json(head.format))?;
        write!(out, "\"layout\": {},\n  ", json(head.layout))?;
        write!(out, "\"version\": {JSON_VERSION}")?;
        if computed.is_none_or(|computed| !computed.has_gaps()) {
            write!(out, ",\n  \"size\": {size}")?;
        }
        if let Some(path) = path {
            write!(out, ",\n  \"path\": {}", json(path))?;
        }
        Ok(JsonWriter {
            computed,
            out,
            open: Vec::new(),
            next_annotations: Annotations::default(),
            may_have_trailing: false,
            declarations: SeenDeclarations::default(),
            inline_blocks: InlineBlockSpans::default(),
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
        let are_computed = self.computed.is_some_and(ComputedFields::has_gaps);
        if shows_gaps && !are_computed && !gaps.is_empty() {
            write!(self.out, ",\n  \"gaps\": [")?;
            for (index, gap) in gaps.iter().enumerate() {
                // Gaps are within the file.
                let bytes = file.get(gap.start as usize..gap.end as usize);
                let comma = if index > 0 { "," } else { "" };
                let span = Span::Bytes(gap.clone());
                let gap = Annotations::of_bytes(&span, bytes.unwrap_or_default(), "");
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
        writeln!(self.out, "\n}}")?;
        self.out.flush()
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
        match outer.kind {
            OpenKind::Numbers | OpenKind::BareNumbers => {
                let is_first = !std::mem::replace(&mut outer.has_entries, true);
                self.out.write_all(if is_first { b"" } else { b", " })
            }
            OpenKind::Items | OpenKind::BareItems => self.start_line(),
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => {
                let name = path.last().and_then(|step| step.name()).unwrap_or_default();
                self.start_line()?;
                // Faster than formatting, which would take most of the time.
                self.out.write_all(b"\"")?;
                self.out.write_all(name.as_bytes())?;
                self.out.write_all(b"\": ")
            }
        }
    }

    /// Starts a key or item in the last open value: in the same line for a packed word without annotations.
    fn start_line(&mut self) -> io::Result<()> {
        let indent = 2 + 2 * self.open.len();
        let is_word = |value: &OpenValue| value.kind == OpenKind::Word;
        if self.computed.is_some()
            && let Some(last) = self.open.last_mut().filter(|last| is_word(last))
        {
            let is_first = !std::mem::replace(&mut last.has_entries, true);
            return self.out.write_all(if is_first { b"" } else { b", " });
        }
        let is_first = match self.open.last_mut() {
            Some(last) => !std::mem::replace(&mut last.has_entries, true),
            None => true,
        };
        self.out.write_all(if is_first { b"" } else { b"," })?;
        self.start_new_line(indent)
    }

    fn start_new_line(&mut self, indent: usize) -> io::Result<()> {
        let line = b"\n                                                                ";
        match line.get(..1 + indent) {
            Some(line) => self.out.write_all(line),
            None => write!(self.out, "\n{:indent$}", ""),
        }
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
        value.merge_block_annotations();
        let annotations = value.annotations.as_str();
        let indent = 2 + 2 * self.open.len();
        let is_list = value.is_list();
        if is_list {
            if value.has_entries && !value.has_plain_items() {
                self.start_new_line(indent)?;
            }
            self.out.write_all(b"]")?;
        }
        // The object of an enclosing value contains these lists.
        if let OpenKind::BareNumbers | OpenKind::BareItems = value.kind {
            return Ok(true);
        }
        let is_on_one_line = value.kind == OpenKind::Word && self.computed.is_some();
        let has_lines = value.has_entries && !is_list && !is_on_one_line;
        if !annotations.is_empty() {
            let is_first = !value.has_entries && !is_list;
            self.out.write_all(if is_first { b"" } else { b"," })?;
            if has_lines {
                self.start_new_line(indent + 2)?;
            } else {
                self.out.write_all(if is_first { b"" } else { b" " })?;
            }
            self.out.write_all(annotations.as_bytes())?;
        }
        if has_lines {
            self.start_new_line(indent)?;
        }
        self.out.write_all(b"}")?;
        Ok(true)
    }

    /// Opens a value, which starts with the annotations of its packed block.
    fn open(&mut self, node: &Node, kind: OpenKind) -> &mut OpenValue {
        let gives_place = self.gives_place(node);
        let packed_block = packed_block(&node.span);
        let starts_block = packed_block.as_ref() != self.enclosing_block();
        let annotations = match kind {
            OpenKind::BareNumbers => Annotations::default(),
            _ => std::mem::take(&mut self.next_annotations),
        };
        self.open.push(OpenValue {
            depth: node.path.len(),
            kind,
            ty: node.ty,
            gives_place,
            packed_block,
            starts_block,
            has_entries: false,
            annotations,
            block_annotations: Vec::new(),
            has_ended: false,
            open_inline_blocks: 0,
        });
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Returns the place of the packed block that contains the last open value.
    fn enclosing_block(&self) -> Option<&Range<u64>> {
        self.open.last()?.packed_block.as_ref()
    }

    fn print_leaf(&mut self, node: &Node, value: &Value) -> io::Result<()> {
        if let Some(computed) = self.computed {
            return self.print_given_leaf(node, value, computed);
        }
        self.start_value(node.path, node.bit_field.is_some())?;
        if self.open.last().is_some_and(OpenValue::has_plain_items) {
            return print_value(&mut self.out, value);
        }
        let is_first_of_field = self.declarations.insert(node);
        // A field of a word lies at the place of the word.
        let has_place = self
            .open
            .last()
            .is_none_or(|outer| outer.kind != OpenKind::Word);
        let is_word = matches!(value, Value::Bits(..));
        let is_decoded = node.decoding.decode.is_some();
        if !is_first_of_field && !has_place && !is_word && !is_decoded {
            return print_value(&mut self.out, value);
        }
        let mut annotations = Annotations::default();
        annotations.add_value(value);
        if let Value::Text(text) = value
            && text.len() == node.bytes.len()
        {
            annotations.add("unterminated", true);
        }
        annotations.add_decoded(node, value);
        annotations.append(&std::mem::take(&mut self.next_annotations));
        if has_place {
            self.add_place(&mut annotations, node);
        }
        if is_first_of_field {
            annotations.add_declaration(node);
        }
        // Trailing bytes of the block may follow.
        let may_have_trailing = node.field.is_some_and(|field| field.block.is_some());
        self.print_object(node, value, annotations, may_have_trailing)
    }

    /// Prints the object of a number or string, or starts that of a packed word.
    fn print_object(
        &mut self,
        node: &Node,
        value: &Value,
        annotations: Annotations,
        may_have_trailing: bool,
    ) -> io::Result<()> {
        let kind = match value {
            Value::Bits(..) => OpenKind::Word,
            _ if may_have_trailing => OpenKind::Scalar,
            _ => return write!(self.out, "{{{}}}", annotations.as_str()),
        };
        self.out.write_all(b"{")?;
        let opened = self.open(node, kind);
        opened.annotations = annotations;
        opened.has_ended = true;
        Ok(())
    }

    /// Adds the place of a number or string, and of the packed block that starts with it.
    fn add_place(&self, annotations: &mut Annotations, node: &Node) {
        annotations.add_range("at", node.span.range());
        let block = packed_block(&node.span);
        if let Some(block) = block.as_ref()
            && Some(block) != self.enclosing_block()
        {
            annotations.add_range("in", block);
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
            last.open_inline_blocks += 1;
            return Ok(());
        }
        self.start_value(node.path, false)?;
        let is_inner = self.open.last().is_some_and(OpenValue::has_plain_items);
        let gives_place = self.gives_place(node);
        let is_annotated = std::mem::take(&mut self.may_have_trailing)
            || self.computed.is_none()
            || gives_place
            || !self.next_annotations.as_str().is_empty();
        let kind = match (node.ty.item_type_and_count(), self.prints_plain_items(node)) {
            (None, _) => OpenKind::Struct,
            (Some(_), true) if is_annotated && !is_inner => OpenKind::Numbers,
            (Some(_), true) => OpenKind::BareNumbers,
            (Some(_), false) if is_annotated => OpenKind::Items,
            (Some(_), false) => OpenKind::BareItems,
        };
        self.out.write_all(match kind {
            OpenKind::Numbers | OpenKind::Items => b"{\"$items\": [",
            OpenKind::BareNumbers | OpenKind::BareItems => b"[",
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => b"{",
        })?;
        self.open(node, kind);
        Ok(())
    }

    /// Returns `true` for a list of numbers, nested or not, without annotations.
    fn prints_plain_items(&self, node: &Node) -> bool {
        let is_number = match node.ty.flatten().item.without_byte_order() {
            Type::Unsigned(_) | Type::Signed(_) | Type::Float(_) => true,
            Type::Declared(declaration) => matches!(declaration.shape, Shape::Enum { .. }),
            _ => false,
        };
        is_number && (self.computed.is_some() || node.decoding.decode.is_none())
    }

    /// Starts a list in an inline block, as a key of the struct that contains the block.
    fn print_inline_list(&mut self, node: &Node) -> io::Result<()> {
        self.start_line()?;
        self.out.write_all(b"\"$items\": [")?;
        let kind = if self.prints_plain_items(node) {
            OpenKind::BareNumbers
        } else {
            OpenKind::BareItems
        };
        // The list is not annotated, so its items state the packed block.
        let enclosing = self.enclosing_block().cloned();
        self.open(node, kind).packed_block = enclosing;
        Ok(())
    }

    fn print_end(&mut self, node: &Node) -> io::Result<()> {
        self.close_before(node.path.len(), false)?;
        let Some(value) = self.open.last_mut() else {
            return Ok(());
        };
        if value.open_inline_blocks > 0 {
            value.open_inline_blocks -= 1;
            return Ok(());
        }
        value.has_ended = true;
        if let OpenKind::BareNumbers | OpenKind::BareItems = value.kind {
            return Ok(());
        }
        if self.computed.is_none() || value.gives_place {
            value.annotations.add_range("at", node.span.range());
        }
        if self.computed.is_some() {
            return Ok(());
        }
        if let (true, Some(block)) = (value.starts_block, &value.packed_block) {
            value.annotations.add_range("in", block);
        }
        if self.declarations.insert(node) {
            value.annotations.add_declaration(node);
        }
        Ok(())
    }

    fn print_trailing(&mut self, path: &[Segment], span: &Span, bytes: &[u8]) -> io::Result<()> {
        let trailing = Annotations::of_bytes(span, bytes, "");
        // Ends the parts of the value that the bytes follow, but not the value.
        while let Some(last) = self.open.last() {
            let is_inline_list =
                last.has_ended && matches!(last.kind, OpenKind::BareItems | OpenKind::BareNumbers);
            if last.depth <= path.len() && !is_inline_list {
                break;
            }
            self.close_last()?;
        }
        if let Some(last) = self.open.last_mut() {
            if !last.has_ended
                && let Some(name) = self.inline_blocks.block_before(path, span)
            {
                last.annotations_of_block(name).add("trailing", trailing);
                return Ok(());
            }
            if !path.is_empty() {
                last.annotations.add("trailing", trailing);
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
        if self
            .computed
            .is_some_and(|computed| computed.contains_packing(field))
        {
            return Ok(());
        }
        let packed = Annotations::of_bytes(&node.span, node.bytes, block.packing.name());
        match self.open.last_mut() {
            Some(outer) if block.inline => {
                outer.annotations_of_block(field.name).add("packed", packed)
            }
            _ => self.next_annotations.add("packed", packed),
        }
        Ok(())
    }
}

impl<W: Write> Visitor for JsonWriter<'_, W> {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.omits(node) {
            return Visit::Nothing;
        }
        match self.try_print(|writer| writer.print_start(node)) {
            ControlFlow::Continue(()) => Visit::All,
            ControlFlow::Break(()) => Visit::Stop,
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        // A bit field lies in its word.
        if node.bit_field.is_none() {
            self.covered.add(&node.span);
        }
        self.try_print(|writer| writer.print_leaf(node, value))
    }

    fn visit_absent(&mut self, node: &Node) -> ControlFlow<()> {
        self.try_print(|writer| writer.print_absent(node))
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        self.try_print(|writer| {
            // The key belongs to the magic bytes of the struct itself, so those of inline content are omitted.
            let is_inline = |outer: &OpenValue| outer.open_inline_blocks > 0;
            if writer.computed.is_some() || writer.open.last().is_none_or(is_inline) {
                return Ok(());
            }
            writer.start_line()?;
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
        let block = node.field.and_then(|field| field.block);
        self.may_have_trailing =
            block.is_some_and(|block| !block.inline && block.packing == Packing::Stored);
        true
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        if self.omits(node) {
            return ControlFlow::Continue(());
        }
        self.try_print(|writer| writer.print_end(node))
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.covered.add(&span);
        // If printing fails, the next value ends the walk.
        let _ = self.try_print(|writer| writer.print_trailing(path, &span, bytes));
    }
}
