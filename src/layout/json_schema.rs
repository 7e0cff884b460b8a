//! Prints declarations as a JSON Schema of the JSON of a complete file, which docs/json.md describes.
//!
//! No field of a value is required: the assembler computes those that the declaration determines, and reports the
//! others.

use std::borrow::Cow;

use super::declaration::{Block, Declaration, EnumValue, Field, Shape, Type};
use super::dump::JSON_VERSION;
use super::json::{Json, array_json, number_json, string_json};
use super::wording::first_sentence;

/// The keys of a JSON object, with their values.
type Entries = Vec<(Cow<'static, str>, Json)>;

/// Prints the schema of the JSON of files with one of the layouts. `name` is the identifier of the format.
pub(super) fn print(name: &str, title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut printer = Printer::default();
    let values = layouts.iter().map(|(layout, ty)| {
        let is_layout = [("layout", Json::object([("const", string_json(layout))]))];
        let condition = [
            ("properties", Json::object(is_layout)),
            ("required", strings(&["layout"])),
        ];
        let value = [("value", printer.schema_of(ty))];
        Json::object([
            ("if", Json::object(condition)),
            ("then", Json::object([("properties", Json::object(value))])),
        ])
    });
    let values = Json::Array(values.collect());
    let gap = Json::object([
        ("$ref", string_json("#/$defs/$bytes")),
        ("required", strings(&["$at"])),
    ]);
    let gaps = [("type", string_json("array")), ("items", gap)];
    let size = [
        ("type", string_json("integer")),
        ("minimum", number_json(0)),
    ];
    let layout_names = array_json(layouts, |(name, _)| string_json(name));
    let properties = [
        ("format", Json::object([("const", string_json(name))])),
        ("layout", Json::object([("enum", layout_names)])),
        (
            "version",
            Json::object([("const", number_json(JSON_VERSION))]),
        ),
        ("size", Json::object(size)),
        ("value", Json::Plain("true".to_owned())),
        ("gaps", Json::object(gaps)),
        ("trailing", reference("$bytes")),
        ("file", of_type("string")),
    ];
    let definitions = printer.finish();
    let schema = Json::object([
        (
            "$schema",
            string_json("https://json-schema.org/draft/2020-12/schema"),
        ),
        (
            "title",
            string_json(&format!("{title}: the values of a file as JSON")),
        ),
        ("type", string_json("object")),
        ("required", strings(&["format", "layout", "value"])),
        ("properties", Json::object(properties)),
        ("additionalProperties", Json::Plain("false".to_owned())),
        ("allOf", values),
        ("$defs", definitions),
    ]);
    schema.print()
}

/// The definitions that the schema refers to so far.
#[derive(Default)]
struct Printer {
    /// The declarations, each with the name of its definition.
    declared: Vec<(&'static Declaration, String)>,
    definitions: Entries,
}

impl Printer {
    /// Returns all definitions, with those that every schema refers to.
    fn finish(mut self) -> Json {
        self.definitions
            .push(("$annotations".into(), annotations_schema()));
        self.definitions.push(("$bytes".into(), bytes_schema()));
        self.definitions.push(("$place".into(), place_schema()));
        Json::Object(self.definitions)
    }

    fn schema_of(&mut self, ty: &Type) -> Json {
        match ty.without_byte_order() {
            Type::Declared(declaration) => self.reference_to(declaration),
            Type::NulString => self.defined("$string", string_schema),
            Type::Float(size) => {
                let size = *size;
                self.defined(&format!("$f{}", 8 * size), || float_schema(size))
            }
            Type::Unsigned(size) => self.integer(false, 8 * size),
            Type::Signed(size) => self.integer(true, 8 * size),
            Type::Array(item, count) => self.list_schema(item, Some(*count)),
            Type::List(item) => self.list_schema(item, None),
            Type::BigEndian(number) => self.schema_of(number),
        }
    }

    /// Returns a reference to a definition, which is added the first time.
    fn defined(&mut self, name: &str, schema: impl FnOnce() -> Json) -> Json {
        if !self.definitions.iter().any(|(known, _)| known == name) {
            self.definitions.push((name.to_owned().into(), schema()));
        }
        reference(name)
    }

    fn integer(&mut self, is_signed: bool, bits: u32) -> Json {
        let kind = if is_signed { 'i' } else { 'u' };
        self.defined(&format!("${kind}{bits}"), || {
            let types = ["integer", "boolean", "string"];
            value_schema(&types, integer_entries(is_signed, bits), Vec::new())
        })
    }

    /// Returns the schema of a list. The schema of its items is printed twice, so lists of lists are definitions.
    fn list_schema(&mut self, item: &'static Type, count: Option<u64>) -> Json {
        let items = self.schema_of(item);
        let items = match item.item_type_and_count() {
            Some(_) => self.list_definition(items),
            None => items,
        };
        let mut entries = entries([("items", items)]);
        for key in ["minItems", "maxItems"] {
            entries.extend(count.map(|count| (key.into(), number_json(count))));
        }
        let list = entries
            .iter()
            .cloned()
            .chain([("type".into(), string_json("array"))]);
        let annotated = vec![("$items".into(), Json::Object(list.collect()))];
        annotated_schema(&["array"], entries, annotated)
    }

    /// Returns a reference to the definition of a list. Equal lists have one definition.
    fn list_definition(&mut self, schema: Json) -> Json {
        let lists = self.definitions.iter();
        let lists = lists.filter(|(name, _)| name.starts_with("$list"));
        let known = lists.clone().find(|(_, list)| *list == schema);
        let name = match known {
            Some((name, _)) => name.to_string(),
            None => format!("$list_{}", lists.count() + 1),
        };
        self.defined(&name, || schema)
    }

    /// Returns a reference to the definition of a declaration. Of several declarations with the same name, the later ones
    /// are numbered.
    fn reference_to(&mut self, declaration: &'static Declaration) -> Json {
        if let Some((_, name)) = self
            .declared
            .iter()
            .find(|(known, _)| *known == declaration)
        {
            return reference(name);
        }
        let same = |known: &&(&'static Declaration, String)| known.0.name == declaration.name;
        let name = match self.declared.iter().filter(same).count() {
            0 => declaration.name.to_owned(),
            number => format!("{}_{}", declaration.name, number + 1),
        };
        self.declared.push((declaration, name.clone()));
        // The place of the definition is before those that it refers to.
        let place = self.definitions.len();
        self.definitions.push((name.clone().into(), Json::Omitted));
        let schema = match declaration.shape {
            Shape::Struct(fields) => {
                let keys = self.keys_of_fields(fields);
                annotated_schema(&[], Vec::new(), keys)
            }
            // A choice is written as the value of its variant.
            Shape::Choice(variants) => {
                let variants = variants
                    .iter()
                    .map(|variant| self.field_schema(&variant.field));
                any_of(variants.collect())
            }
            Shape::Enum { values, .. } => enum_schema(values),
            Shape::Bits { size, fields } => {
                let mut keys = Entries::new();
                for field in fields {
                    let value = match field.declared {
                        Some(word) => self.reference_to(word),
                        None => self.integer(field.signed, field.bits.width),
                    };
                    keys.push((field.name.into(), described(field.doc, value)));
                }
                let types = ["integer", "string"];
                value_schema(&types, integer_entries(false, 8 * size), keys)
            }
        };
        self.definitions[place].1 = described(declaration.doc, schema);
        reference(&name)
    }

    /// Returns the keys of a struct. The keys of the content of an inline block are keys of the struct.
    fn keys_of_fields(&mut self, fields: &'static [Field]) -> Entries {
        let mut keys = Entries::new();
        for field in fields.iter().filter(|field| !field.lookahead) {
            match field.block {
                Some(block @ Block { inline: true, .. }) => {
                    keys.extend(self.keys_of_content(&block.content));
                    if field.condition.is_some() {
                        keys.push((field.name.into(), of_type("null")));
                    }
                }
                _ => {
                    let schema = described(field.doc, self.field_schema(field));
                    keys.push((field.name.into(), schema));
                }
            }
        }
        merged(keys)
    }

    fn keys_of_content(&mut self, content: &Type) -> Entries {
        match content
            .own_declaration()
            .map(|declaration| declaration.shape)
        {
            Some(Shape::Struct(fields)) => self.keys_of_fields(fields),
            Some(Shape::Choice(variants)) => {
                let mut keys = Entries::new();
                for variant in variants {
                    keys.extend(self.keys_of_content(&variant.field.content_type()));
                }
                merged(keys)
            }
            _ => match content.item_type_and_count() {
                Some((item, _)) => {
                    let items = [
                        ("type", string_json("array")),
                        ("items", self.schema_of(item)),
                    ];
                    vec![("$items".into(), Json::object(items))]
                }
                None => Entries::new(),
            },
        }
    }

    /// Returns the schema of the value of a field. An absent field may be null.
    fn field_schema(&mut self, field: &Field) -> Json {
        let value = self.schema_of(&field.content_type());
        match field.condition {
            Some(_) => any_of(vec![value, of_type("null")]),
            None => value,
        }
    }
}

/// Merges the schemas of equal keys.
fn merged(keys: Entries) -> Entries {
    let mut schemas: Vec<(Cow<'static, str>, Vec<Json>)> = Vec::new();
    for (key, schema) in keys {
        match schemas.iter_mut().find(|(known, _)| *known == key) {
            Some((_, alternatives)) => alternatives.push(schema),
            None => schemas.push((key, vec![schema])),
        }
    }
    let schemas = schemas.into_iter();
    schemas
        .map(|(key, alternatives)| (key, any_of(alternatives)))
        .collect()
}

/// Returns the schema of a value of one of the types, or of an object that has it as `$value`. `value` are the keys of
/// the schema of the value, and `keys` further keys of the object.
fn value_schema(types: &[&str], value: Entries, keys: Entries) -> Json {
    let ty = ("type".into(), strings(types));
    let own = Json::Object(value.iter().cloned().chain([ty]).collect());
    let keys = [("$value".into(), own)].into_iter().chain(keys);
    annotated_schema(types, value, keys.collect())
}

/// Returns the schema of a value of one of the types, or of an object with some of the keys and with annotations.
/// `entries` are the keys of the schema of the value.
fn annotated_schema(types: &[&str], entries: Entries, keys: Entries) -> Json {
    let types = [types, &["object"]].concat();
    let types = match &types[..] {
        [only] => string_json(only),
        types => strings(types),
    };
    let object = [
        ("$ref".into(), string_json("#/$defs/$annotations")),
        ("properties".into(), Json::Object(keys)),
        (
            "unevaluatedProperties".into(),
            Json::Plain("false".to_owned()),
        ),
    ];
    let schema = [("type".into(), types)]
        .into_iter()
        .chain(entries)
        .chain(object);
    Json::Object(schema.collect())
}

/// Returns the keys of the schema of an integer, or of its text. Validators lack numbers of more than 64 bits.
fn integer_entries(is_signed: bool, bits: u32) -> Entries {
    let sign = if is_signed { "-?" } else { "" };
    let pattern = format!("^{sign}(0x[0-9a-fA-F]+|[0-9]+|true|false)$");
    let range = match (is_signed, bits) {
        (_, 65..) => None,
        (false, _) => Some((0, (1_i128 << bits) - 1)),
        (true, _) => Some((-1_i128 << (bits - 1), (1_i128 << (bits - 1)) - 1)),
    };
    let mut keys = entries([("pattern", string_json(&pattern))]);
    if let Some((least, most)) = range {
        keys.extend(entries([
            ("minimum", number_json(least)),
            ("maximum", number_json(most)),
        ]));
    }
    keys
}

/// Returns the schema of an enum: the name of a value, or a number.
fn enum_schema(values: &'static [EnumValue]) -> Json {
    let names = array_json(values, |value| string_json(value.name));
    let number = integer_entries(true, 64).into_iter();
    let types = ("type".into(), strings(&["integer", "boolean", "string"]));
    let number = Json::Object(number.chain([types]).collect());
    let value = any_of(vec![Json::object([("enum", names)]), number]);
    let object = annotated_schema(&[], Vec::new(), entries([("$value", value.clone())]));
    any_of(vec![value, object])
}

/// Returns the schema of a float of `size` bytes, or of its text.
fn float_schema(size: u32) -> Json {
    let pattern = format!(
        "^(-?Infinity|NaN|NaN:[0-9a-fA-F]{{{}}}|-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?)$",
        2 * size
    );
    let pattern = entries([("pattern", string_json(&pattern))]);
    value_schema(&["number", "string"], pattern, Vec::new())
}

/// Returns the schema of a string. One that is not UTF-8 is a list of its bytes.
fn string_schema() -> Json {
    let byte = [
        ("type", string_json("integer")),
        ("minimum", number_json(0)),
        ("maximum", number_json(255)),
    ];
    let bytes = entries([("items", Json::object(byte))]);
    value_schema(&["string", "array"], bytes, Vec::new())
}

/// Returns the schema of the keys that every object may have.
fn annotations_schema() -> Json {
    let block = [
        ("$packed", reference("$bytes")),
        ("$trailing", reference("$bytes")),
    ];
    let block = Json::object([
        ("type", string_json("object")),
        ("properties", Json::object(block)),
        ("additionalProperties", Json::Plain("false".to_owned())),
    ]);
    let blocks = [
        ("type", string_json("object")),
        ("additionalProperties", block),
    ];
    let text = || of_type("string");
    let properties = [
        ("$name", text()),
        ("$decoded", Json::Plain("true".to_owned())),
        ("$at", reference("$place")),
        ("$in", reference("$place")),
        ("$bits", reference("$place")),
        ("$type", text()),
        ("$unit", text()),
        ("$meaning", text()),
        (
            "$magic",
            Json::object([("type", strings(&["string", "array"]))]),
        ),
        ("$packed", reference("$bytes")),
        ("$trailing", reference("$bytes")),
        ("$blocks", Json::object(blocks)),
        ("$unterminated", of_type("boolean")),
    ];
    Json::object([("properties", Json::object(properties))])
}

/// Returns the schema of bytes that are no value.
fn bytes_schema() -> Json {
    let digits = [
        ("type", string_json("string")),
        ("pattern", string_json("^([0-9a-fA-F]{2})*$")),
    ];
    let properties = [
        ("$bytes", Json::object(digits)),
        ("$text", of_type("string")),
        ("$at", reference("$place")),
        ("$in", reference("$place")),
        ("$packing", of_type("string")),
    ];
    let one = ["$bytes", "$text"].map(|key| Json::object([("required", strings(&[key]))]));
    Json::object([
        ("type", string_json("object")),
        ("properties", Json::object(properties)),
        ("oneOf", Json::Array(one.into())),
        ("additionalProperties", Json::Plain("false".to_owned())),
    ])
}

/// Returns the schema of two offsets, or of an offset and a size in bits.
fn place_schema() -> Json {
    let offset = [
        ("type", string_json("integer")),
        ("minimum", number_json(0)),
    ];
    Json::object([
        ("type", string_json("array")),
        ("items", Json::object(offset)),
        ("minItems", number_json(2)),
        ("maxItems", number_json(2)),
    ])
}

/// Returns a schema that accepts what one of the schemas accepts.
fn any_of(schemas: Vec<Json>) -> Json {
    let mut alternatives: Vec<Json> = Vec::new();
    for schema in schemas {
        if !alternatives.contains(&schema) {
            alternatives.push(schema);
        }
    }
    match alternatives.len() {
        1 => alternatives.remove(0),
        _ => Json::object([("anyOf", Json::Array(alternatives))]),
    }
}

fn entries<const N: usize>(entries: [(&'static str, Json); N]) -> Entries {
    entries.map(|(key, value)| (key.into(), value)).into()
}

fn of_type(name: &str) -> Json {
    Json::object([("type", string_json(name))])
}

fn strings(texts: &[&str]) -> Json {
    array_json(texts, |text| string_json(text))
}

/// Returns a reference to a definition. Its name may have letters that a URI escapes.
fn reference(name: &str) -> Json {
    let mut target = "#/$defs/".to_owned();
    for byte in name.replace('~', "~0").replace('/', "~1").bytes() {
        match byte {
            b'$' | b'_' | b'~' => target.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => target.push(byte.into()),
            _ => target.push_str(&format!("%{byte:02X}")),
        }
    }
    Json::object([("$ref", string_json(&target))])
}

/// Adds the first sentence of a doc comment to a schema.
fn described(doc: &str, schema: Json) -> Json {
    let sentence = first_sentence(doc);
    match schema {
        Json::Object(entries) if !sentence.is_empty() => {
            let description = ("description".into(), string_json(&sentence));
            Json::Object([description].into_iter().chain(entries).collect())
        }
        schema => schema,
    }
}
