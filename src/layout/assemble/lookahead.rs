//! Look-aheads that choose what comes next: their bytes are those that each alternative would start with.

use super::assembler::{Assembler, Item, node};
use super::frame::Frame;
use super::number;
use super::source::{Source, Supply};
use crate::Result;
use crate::layout::walk::Segment;
use crate::layout::{Field, Shape, Type, Value};

impl<S: Source> Assembler<'_, S> {
    /// What look-aheads see, by their names, where the next field is a choice that depends on them: what the first
    /// alternative starts with that is chosen then.
    pub(super) fn ahead_of(
        &mut self,
        looking: &[&Field],
        next: &Field,
        frame: &Frame,
    ) -> Result<Vec<(&'static str, Value)>> {
        let (Type::Declared(declaration), false) = (&next.ty, looking.is_empty()) else {
            return Ok(Vec::new());
        };
        let Shape::Choice(variants) = declaration.shape else { return Ok(Vec::new()) };
        // Magic bytes that are not given say less than values that are.
        let alternatives =
            [false, true].into_iter().flat_map(|demanded| variants.iter().map(move |v| (v, demanded)));
        for (variant, demanded) in alternatives {
            let Some(start) = self.start_of(&variant.field.ty, demanded)? else { continue };
            let value_of = |field: &&Field| {
                let bytes = start.get(..field.ty.size()? as usize)?;
                Some((field.name, field.ty.value_of(bytes)))
            };
            let values: Vec<_> = looking.iter().filter_map(value_of).collect();
            let mut seen = frame.clone();
            values.iter().for_each(|(name, value)| seen.push(name, Some(value.clone())));
            let within = seen.within(declaration, next.arguments, self.path.len());
            let chosen = variants.iter().find(|variant| within.truth(&variant.condition) == Some(true));
            if chosen == Some(variant) {
                return Ok(values);
            }
        }
        Ok(Vec::new())
    }

    /// The bytes that a value starts with, as far as they are given, or magic bytes that are `demanded`.
    fn start_of(&mut self, ty: &'static Type, demanded: bool) -> Result<Option<Vec<u8>>> {
        let item = Item { ty, field: None, variant: None, arguments: &[] };
        let stored = match ty {
            Type::Declared(declaration) => match declaration.shape {
                Shape::Enum { size, .. } | Shape::Bits { size, .. } => Type::Unsigned(size),
                Shape::Struct(fields) => {
                    let bytes = match self.source.enter(&node(&self.path, &item, 0)) {
                        // Another alternative is given.
                        Err(_) => return Ok(None),
                        Ok(Supply::Bytes(bytes, _)) => Some(bytes.to_vec()),
                        Ok(Supply::Parts(_)) => None,
                    };
                    let start = match (bytes, fields.iter().find(|field| !field.lookahead)) {
                        (Some(bytes), _) => Ok(Some(bytes)),
                        (None, _) if !declaration.magic.is_empty() => {
                            let given = self.source.magic(&node(&self.path, &item, 0)).map(<[u8]>::to_vec);
                            Ok(given.or_else(|| demanded.then(|| declaration.magic.to_vec())))
                        }
                        (None, Some(field)) => {
                            self.path.push(Segment::Field(field.name));
                            let start = self.start_of(&field.ty, demanded);
                            self.path.pop();
                            start
                        }
                        (None, None) => Ok(None),
                    };
                    self.source.leave(&node(&self.path, &item, 0));
                    return start;
                }
                Shape::Choice(_) => return Ok(None),
            },
            Type::Array(..) | Type::List(_) => return Ok(None),
            plain => *plain,
        };
        let Some(value) = self.given(&item, 0)? else { return Ok(None) };
        match &value {
            Value::Text(text) => Ok(Some(text.clone())),
            value => {
                let encoded = number::encode(&stored, value).map_err(|message| self.error(message))?;
                Ok(Some(encoded.0[..encoded.1].to_vec()))
            }
        }
    }
}
