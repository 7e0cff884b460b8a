//! Seed: the errors of malformed lines, and the grammar.

mod errors;
mod grammar;
mod values;
