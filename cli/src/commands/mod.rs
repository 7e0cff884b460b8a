//! The subcommands.

pub mod assemble;
pub mod check;
pub mod completions;
pub mod conform;
pub mod convert;
pub mod corpus;
pub mod decode;
pub mod dump;
pub mod edit;
pub mod formats;
pub mod info;
pub mod iyma;
pub mod man;
pub mod schema;
pub mod view;
