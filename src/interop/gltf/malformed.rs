//! Errors about invalid glTF.

use crate::Error;

pub(super) fn malformed(path: impl Into<String>, message: impl ToString) -> Error {
    Error::malformed(message).at_text(path)
}
