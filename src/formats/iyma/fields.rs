//! Looks up document values by their declared field names, to check constraints.

use super::document::Document;
use super::schema::Header;
use crate::layout::walk::{DocumentValue, Fields};

impl Fields for Document {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "header" => DocumentValue::fields(HeaderFields),
            "descriptor" => {
                let fields = self
                    .descriptor()
                    .ok()
                    .and_then(|descriptor| descriptor.to_plain_fields().ok());
                fields.map_or(DocumentValue::Unknown, |fields| {
                    DocumentValue::Bytes(fields.into())
                })
            }
            "data" => DocumentValue::fields(DataFields(self)),
            _ => DocumentValue::Unknown,
        }
    }
}

struct HeaderFields;

impl Fields for HeaderFields {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "version" => DocumentValue::number(Header::VERSION.to_le_bytes()),
            _ => DocumentValue::Unknown,
        }
    }
}

struct DataFields<'d>(&'d Document);

impl Fields for DataFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let Document {
            user_data,
            indices,
            attributes,
            ..
        } = self.0;
        match (name, indices) {
            ("user_data", _) => DocumentValue::Bytes((&**user_data).into()),
            ("indices", Some(indices)) => DocumentValue::Bytes((&*indices.data).into()),
            ("vertices", _) => DocumentValue::items(attributes, |attribute| {
                DocumentValue::Bytes((&*attribute.data).into())
            }),
            _ => DocumentValue::Unknown,
        }
    }
}
