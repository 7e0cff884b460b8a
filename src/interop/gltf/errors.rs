//! Errors about invalid glTF. Unreadable objects of a file are dropped and listed if at least one mesh can be read.

use crate::{Category, Error, ErrorKind, Loss, Result};

/// Creates an error about invalid glTF, located at `path`.
pub(super) fn malformed(path: impl Into<String>, message: impl ToString) -> Error {
    Error::malformed(message).at_text(path)
}

/// The losses recorded while reading a file, and the error of its first unreadable object.
#[derive(Default)]
pub(super) struct ReadLog {
    pub losses: Vec<Loss>,
    first_error: Option<Error>,
}

impl ReadLog {
    /// Records the error of the object at the path `at`. Returns the detail text for its loss. Returns an error about
    /// an exceeded limit as `Err`, which stops reading.
    pub fn record(&mut self, error: Error, at: &str) -> Result<String> {
        if let ErrorKind::LimitExceeded(_) = error.kind() {
            return Err(error);
        }
        let message = if error.path() == at {
            error.message().to_owned()
        } else {
            error.to_string()
        };
        self.first_error.get_or_insert(error);
        Ok(message)
    }

    /// Returns the value of an `Ok` result. Otherwise, records the error of the object at the path `at` and the loss
    /// that `loss` creates, and returns `None`. Returns an error if the object exceeds a limit.
    pub fn recover<T>(
        &mut self,
        result: Result<T>,
        at: &str,
        loss: fn(&str) -> Loss,
    ) -> Result<Option<T>> {
        result.map(Some).or_else(|error| {
            let detail = self.record(error, at)?;
            self.losses.push(loss(at).with_detail(detail));
            Ok(None)
        })
    }

    /// Returns the error of the first unreadable object, if any, for a file without readable meshes.
    pub fn require_readable(&mut self) -> Result<()> {
        self.first_error.take().map_or(Ok(()), Err)
    }

    /// Returns the error for a file of which nothing can be converted, with the first loss of geometry as the reason.
    pub fn nothing_converted(&self) -> Error {
        match self
            .losses
            .iter()
            .find(|loss| loss.category == Category::Geometry)
        {
            Some(loss) => {
                let message = format!("no mesh can be converted: {}", loss.message);
                Error::unsupported(message).at(loss.path.clone())
            }
            None => Error::unsupported("no mesh can be converted"),
        }
    }
}
