//! Fields of the table as schemas. Knows nothing of their place in a call.

use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, RefOr, Schema};

use crate::provider::sandbox::contract::{ContractField, FieldKind, Form, RefusalShape};

/// The name of a refusal's schema.
pub(super) fn refusal_schema_name(shape: &RefusalShape) -> String {
    match shape {
        RefusalShape::Envelope => "refusal_envelope".to_owned(),
        // Field names are settings, and a schema's name allows letters, digits and few signs.
        RefusalShape::Code { code, message } => format!("refusal_{code}_{message}")
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect(),
    }
}

/// The schema of a refusal.
pub(super) fn refusal_schema_of(shape: &RefusalShape) -> Schema {
    match shape {
        RefusalShape::Envelope => envelope_refusal_schema(),
        RefusalShape::Code { code, message } => coded_refusal_schema(code, message),
    }
}

fn coded_refusal_schema(code: &str, message: &str) -> Schema {
    if code.contains('.') || message.contains('.') {
        let fields = ContractField::inwards(vec![
            ContractField::words(code, "the code"),
            ContractField::words(message, "in words"),
        ]);
        return object_schema_of(&fields, false);
    }
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).build();
    let fields = [code, message].into_iter();
    let object = fields.fold(ObjectBuilder::new(), |object, name| object.property(name, text()).required(name));
    Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(false))).build())
}

fn envelope_refusal_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).build();
    let failed = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["failed"])).build();
    let none = ObjectBuilder::new().schema_type(Type::Null).build();
    let object = ObjectBuilder::new()
        .property("_id", text())
        .property("status", failed)
        .property("message", text())
        .property("data", none);
    let names = ["_id", "status", "message", "data"].into_iter();
    Schema::Object(names.fold(object, |object, name| object.required(name)).build())
}

/// An object of these fields; `open` allows others.
pub(super) fn object_schema_of(fields: &[ContractField], open: bool) -> Schema {
    let mut object = ObjectBuilder::new();
    for field in fields {
        object = object.property(&field.name, field_kind_schema(&field.kind, field.about));
        if field.required {
            object = object.required(&field.name);
        }
    }
    Schema::Object(object.additional_properties(Some(AdditionalProperties::FreeForm(open))).build())
}

/// The schema of a field's values.
pub(super) fn field_kind_schema(kind: &FieldKind, about: &str) -> RefOr<Schema> {
    let about = Some(about).filter(|about| !about.is_empty());
    let typed = |kind: Type| ObjectBuilder::new().schema_type(kind).description(about);
    let built = match kind {
        FieldKind::Text { least, most, form } => {
            let text = typed(Type::String).min_length(Some(*least)).max_length(Some(*most)).pattern(form.pattern());
            match form {
                Form::Date => text.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))).build(),
                _ => text.build(),
            }
        }
        FieldKind::Whole { least, most } => {
            let (least, most) = (*least as isize, *most as isize);
            typed(Type::Integer).minimum(Some(least)).maximum(Some(most)).build()
        }
        FieldKind::Amount => {
            typed(Type::Number).exclusive_minimum(Some(0)).maximum(Some(1_000_000_000_000_000_isize)).build()
        }
        FieldKind::Number => typed(Type::Number).build(),
        FieldKind::Flag => typed(Type::Boolean).build(),
        FieldKind::OneOf(known) => typed(Type::String).enum_values(Some(known.clone())).build(),
        FieldKind::Object(fields) => return RefOr::T(object_schema_of(fields, false)),
        FieldKind::OpenObject(fields) => return RefOr::T(object_schema_of(fields, true)),
        FieldKind::List(kind) => {
            return RefOr::T(Schema::Array(
                ArrayBuilder::new().items(field_kind_schema(kind, "")).description(about).build(),
            ));
        }
        FieldKind::TextOrWhole => {
            let either = OneOfBuilder::new().item(typed(Type::String)).item(typed(Type::Integer));
            return RefOr::T(Schema::OneOf(either.build()));
        }
    };
    RefOr::T(Schema::Object(built))
}
