//! `meshspec schema`: prints the declaration of a format as tables, or in a schema language.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use meshspec::layout::schema::SchemaFile;
use meshspec::{AnyFormat, Formats, layout};

use crate::encoding::format_parser;
use crate::failure::{Failure, Result, Status};
use crate::input::{STANDARD, text_of};
use crate::output;

/// Print the declaration of a format as tables, or as a schema for other tools.
#[derive(Debug, Args)]
pub struct Schema {
    /// The format.
    #[arg(value_parser = format_parser(&Formats::builtin()))]
    format: AnyFormat,
    /// The language.
    #[arg(long = "as", value_name = "LANGUAGE", value_parser = language_parser())]
    language: layout::schema::Schema,
    /// Print only the layout with this name, such as `mesh_renderlib`.
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// Write the files to this folder under their default names.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
}

fn language_parser() -> impl TypedValueParser<Value = layout::schema::Schema> {
    PossibleValuesParser::new(
        layout::schema::Schema::ALL
            .iter()
            .map(|language| language.name()),
    )
    .try_map(|name| name.parse::<layout::schema::Schema>())
}

impl Schema {
    pub fn run(&self) -> Result<Status> {
        let files = self.schema_files()?;
        match (&self.out, &files[..]) {
            (Some(folder), [_, ..]) => self.write_all(folder, &files)?,
            (None, [file]) => {
                output::write(Path::new(STANDARD), false, |out| {
                    out.write_all(file.text.as_bytes())
                })?;
            }
            (_, []) => return Err(self.inexpressible_format()),
            (None, _) => {
                let names: Vec<_> = files.iter().map(|file| &*file.name).collect();
                let message = format!("the schema has {} files: {}", files.len(), names.join(", "));
                let hint = format!(
                    "write them with --out DIR, or choose one with --layout ({})",
                    self.layout_names_text()
                );
                return Err(Failure::usage(self.format.name(), message).with_hint(hint));
            }
        }
        Ok(Status::Success)
    }

    fn schema_files(&self) -> Result<Vec<SchemaFile>> {
        let Some(name) = &self.layout else {
            return Ok(self.format.schema(self.language));
        };
        let about = self.format.about();
        match about.layouts().iter().find(|(layout, _)| layout == name) {
            Some(layout) => Ok(self
                .language
                .print(self.format.name(), about.title, &[*layout])),
            None => {
                let message = match self.layout_names_text() {
                    names if names.is_empty() => {
                        format!("no layout `{name}`: text formats have none")
                    }
                    names => format!("no layout `{name}`; the layouts are {names}"),
                };
                Err(Failure::usage(self.format.name(), message))
            }
        }
    }

    /// Creates the failure for a text format and a language that cannot express grammars.
    fn inexpressible_format(&self) -> Failure {
        let message = format!("{} cannot express a text format", self.language);
        Failure::usage(self.format.name(), message).with_hint(
            "print its table and grammar with --as markdown or --as json, or its words with --as dictionary",
        )
    }

    /// Returns the names of the format's layouts, separated by commas.
    fn layout_names_text(&self) -> String {
        let names: Vec<_> = self
            .format
            .about()
            .layouts()
            .iter()
            .map(|(name, _)| *name)
            .collect();
        names.join(", ")
    }

    fn write_all(&self, folder: &Path, files: &[SchemaFile]) -> Result<()> {
        // Checks all files before writing the first.
        for file in files {
            output::reject_existing(&folder.join(&file.name), self.force)?;
        }
        fs::create_dir_all(folder).map_err(|error| Failure::io(&text_of(folder), &error))?;
        for file in files {
            let path = folder.join(&file.name);
            output::write(&path, self.force, |out| out.write_all(file.text.as_bytes()))?;
        }
        Ok(())
    }
}
