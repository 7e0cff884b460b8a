//! `meshspec dump`: prints a file field by field.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::layout::declaration::Type;
use meshspec::layout::dump;
use meshspec::layout::dump::JsonHead;
use meshspec::layout::walk::Fault;
use meshspec::{AnyFormat, Formats, Limits, Rule};

use crate::encoding::Encoding;
use crate::failure::{Result, Status};
use crate::input::{name_of, text_of};
use crate::output_format::OutputFormat::{self, Json};
use crate::path_resolver::PathResolver;
use crate::printed_finding::{FindingPrinter, PrintedFinding};
use crate::progress;
use crate::read_args::ReadArgs;
use crate::readable::Readable;
use crate::terminal::{Escaped, TITLE, counted};
use crate::text_dump::TextDump;

/// Show a file field by field: offset, bytes, type, name, value and meaning. Text files are shown line by line.
#[derive(Debug, Args)]
pub struct Dump {
    /// The file; `-` is standard input.
    file: PathBuf,
    /// Show only the value with this path and its parts: `animations[1].timestamps`. Any unambiguous suffix of a path
    /// works.
    #[arg(long)]
    path: Option<String>,
    /// Show all items of long lists.
    #[arg(long)]
    all: bool,
    /// Print JSON: one object, or for text files one object per line.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
    #[command(flatten)]
    read_args: ReadArgs,
}

/// The files that `dump` shows.
pub const READABLE: Readable = Readable {
    command: "dump",
    reads_interchange: false,
    reads_json: false,
    ..Readable::ALL
};

struct DumpedFile<'f> {
    name: String,
    format: AnyFormat,
    /// The name of the layout.
    layout: &'static str,
    ty: &'static Type,
    bytes: &'f [u8],
    limits: Limits,
}

impl Dump {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_printed_file(&self.file, || self.dump(formats))
    }

    fn dump(&self, formats: &Formats) -> Result<Status> {
        let (bytes, encoding) = self.read_args.read(&self.file, READABLE, formats)?;
        let Encoding::Format(format) = encoding else {
            return Err(READABLE.failure(encoding, &self.file, formats));
        };
        let options = self.read_args.options(encoding, &bytes);
        let Some(ty) = format.layout_of(&bytes, options.dialect.unwrap_or_default()) else {
            let name = text_of(&self.file);
            let Dump {
                all, output_format, ..
            } = *self;
            let path = self.path.as_deref();
            let dump = TextDump {
                name,
                format,
                bytes: &bytes,
                path,
                prints_all: all,
                output_format,
            };
            return dump.run(&name_of(&self.file));
        };
        let layout = format
            .about()
            .layouts()
            .iter()
            .find(|(_, layout)| *layout == ty);
        let file = DumpedFile {
            name: text_of(&self.file),
            format,
            layout: layout.map_or("", |(name, _)| name),
            ty,
            bytes: &bytes,
            limits: options.limits,
        };
        let mut dump = dump::Dump::new(ty, &bytes)
            .with_limits(&file.limits)
            .with_all(self.all);
        if let Some(path) = &self.path {
            let name = name_of(&self.file);
            let paths = PathResolver {
                name: &name,
                layout: ty,
                bytes: &bytes,
                limits: &file.limits,
            };
            dump = dump.with_path(paths.resolve(path)?);
        }
        let fault = if self.output_format == Json {
            file.print_json(&dump)
        } else {
            file.print(&dump)
        }?;
        Ok(if fault.is_some() {
            Status::Invalid
        } else {
            Status::Success
        })
    }
}

impl DumpedFile<'_> {
    fn rule_for(&self, fault: &Fault) -> Option<&'static Rule> {
        self.format.about().rule_for(fault)
    }

    /// Prints the dump as text. Returns the structural error that ends the dump, if any.
    fn print(&self, dump: &dump::Dump) -> Result<Option<Fault>> {
        // `anstream` strips colours unless standard output is a terminal.
        let mut out = BufWriter::new(anstream::stdout().lock());
        let (name, title) = (Escaped(&self.name), self.format.about().title);
        let size = counted(self.bytes.len() as u64, "byte", "bytes");
        writeln!(
            out,
            "{TITLE}{name}{TITLE:#}: {title}, layout {}, {size}\n",
            self.layout
        )?;
        let fault = dump.write_text(&mut out, true)?;
        if let Some(fault) = &fault {
            writeln!(out)?;
            let finding = PrintedFinding::of_fault(fault, self.rule_for(fault));
            FindingPrinter::new(Some(self.ty), self.bytes, &self.limits)
                .print(&finding, &mut out)?;
        }
        out.flush()?;
        Ok(fault)
    }

    /// Prints the values as JSON. Returns the structural error that ends the dump, if any.
    fn print_json(&self, dump: &dump::Dump) -> Result<Option<Fault>> {
        let mut out = BufWriter::new(io::stdout().lock());
        let head = JsonHead {
            file: &self.name,
            format: self.format.name(),
            layout: self.layout,
        };
        let fault = dump.write_json(&head, |fault| self.rule_for(fault), &mut out)?;
        out.flush()?;
        Ok(fault)
    }
}
