//! Tests of the real binary, on files generated with the library.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod assemble;
mod batch;
mod bmd;
mod check;
#[cfg(unix)]
mod conform;
#[cfg(unix)]
mod conform_failures;
#[cfg(unix)]
mod conformance_page;
mod convert;
mod convert_formats;
mod corpus;
mod decode;
mod diff;
mod docs;
mod dump;
mod files;
mod formats;
mod images;
mod info;
#[cfg(target_os = "linux")]
mod interrupted;
mod iyma;
mod job_logs;
mod json;
mod limits;
mod listing;
mod messages;
mod output;
mod own_format;
mod packed;
mod paths;
mod pictures;
mod raycast;
mod recognition;
mod render;
mod rules;
mod schema;
mod shell;
#[cfg(unix)]
mod sibling_files;
mod text;
mod thumbnails;
mod view;
mod view_serve;
mod winding;
