//! Access to documents by declared field names.

use super::document::Document;
use super::schema::Header;
use crate::layout::walk::{Fields, Part};

impl Fields for Document {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "header" => Part::fields(HeaderFields),
            "descriptor" => {
                let fields = self.descriptor().ok().and_then(|descriptor| descriptor.to_plain_fields().ok());
                fields.map_or(Part::Unknown, |fields| Part::Bytes(fields.into()))
            }
            "data" => Part::fields(DataFields(self)),
            _ => Part::Unknown,
        }
    }
}

struct HeaderFields;

impl Fields for HeaderFields {
    fn field(&self, name: &'static str) -> Part<'_> {
        if name == "version" { Part::number(Header::VERSION.to_le_bytes()) } else { Part::Unknown }
    }
}

struct DataFields<'d>(&'d Document);

impl Fields for DataFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let Document { user_data, indices, .. } = self.0;
        match (name, indices) {
            ("user_data", _) => Part::Bytes((&**user_data).into()),
            ("indices", Some(indices)) => Part::Bytes((&*indices.data).into()),
            _ => Part::Unknown,
        }
    }
}
