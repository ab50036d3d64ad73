//! The columns of a Parquet table: each leaf of the file's schema under its path, and how its values are read, by their
//! Parquet types. Metadata of other programs beside the schema is ignored, because it may contradict the schema. Must
//! not know what a column means.

use polars_arrow::datatypes::{ArrowDataType, Field, TimeUnit};
use polars_parquet::parquet::metadata::ColumnDescriptor;
use polars_parquet::parquet::schema::types::{
    PhysicalType, PrimitiveConvertedType, PrimitiveLogicalType, PrimitiveType,
};
use polars_parquet::read::FileMetadata;
use polars_parquet::read::schema::{SchemaInferenceOptions, parquet_to_arrow_schema_with_options};

/// A column of the table.
pub(crate) struct Leaf {
    /// Its name after those of the structs around it, separated by dots.
    pub(crate) name: String,
    /// Its name in a table without a columns file. An unreadable column in a struct gets a different name, so that it
    /// is not taken for a column that the product reads, and the rest of the struct is still read.
    pub(crate) known_as: String,
    pub(crate) kind: Result<Reads, String>,
}

/// How a column is read.
pub(crate) struct Reads {
    /// Its index among the columns of a row group.
    pub(crate) at: usize,
    /// Its field within the structs around it, without their other fields.
    pub(crate) field: Field,
    pub(crate) form: Form,
}

/// How the values are converted once they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    AsStored,
    /// A column of nulls.
    Nothing,
    /// Sixteen bytes that become text.
    Uuid,
    /// Bytes that are text, though nothing says so.
    Bytes,
}

/// The columns in the order of the schema.
pub(crate) fn list_schema_leaves(metadata: &FileMetadata) -> Vec<Leaf> {
    let options = SchemaInferenceOptions { int96_coerce_to_timeunit: TimeUnit::Microsecond };
    let schema = parquet_to_arrow_schema_with_options(metadata.schema().fields(), &Some(options));
    let mut all = SchemaWalk { descriptors: metadata.schema().columns(), leaves: Vec::new() };
    schema.iter_values().for_each(|field| all.field(field, &mut Vec::new()));
    all.leaves
}

struct SchemaWalk<'m> {
    descriptors: &'m [ColumnDescriptor],
    leaves: Vec<Leaf>,
}

impl SchemaWalk<'_> {
    /// Adds the leaves of a field within the structs `above`.
    fn field<'f>(&mut self, field: &'f Field, above: &mut Vec<&'f Field>) {
        let name = above.iter().copied().chain([field]).map(|field| field.name.as_str()).collect::<Vec<_>>().join(".");
        let kind = match &field.dtype {
            ArrowDataType::Struct(fields) => {
                above.push(field);
                fields.iter().for_each(|field| self.field(field, above));
                above.pop();
                return;
            }
            ArrowDataType::List(_) | ArrowDataType::LargeList(_) | ArrowDataType::FixedSizeList(..) => {
                Err("a LIST".to_owned())
            }
            ArrowDataType::Map(..) => Err("a MAP".to_owned()),
            stored => self.leaf(stored, field, above),
        };
        let known_as = match &kind {
            Err(held) if !above.is_empty() => format!("{name} ({held})"),
            _ => name.clone(),
        };
        self.leaves.push(Leaf { name, known_as, kind });
    }

    fn leaf(&self, stored: &ArrowDataType, field: &Field, above: &[&Field]) -> Result<Reads, String> {
        let path = || above.iter().copied().chain([field]).map(|field| &field.name);
        let found = self.descriptors.iter().enumerate();
        let mut found = found.filter(|(_, descriptor)| descriptor.path_in_schema.iter().eq(path()));
        let Some((at, descriptor)) = found.next() else { return Err("no column of the file".to_owned()) };
        let primitive = &descriptor.descriptor.primitive_type;
        let (kind, form) = readable_column_type(stored, primitive).ok_or_else(|| describe_held_type(primitive))?;
        let leaf = Field { dtype: kind, ..field.clone() };
        let within =
            |inner: Field, outer: &&Field| Field { dtype: ArrowDataType::Struct(vec![inner]), ..(*outer).clone() };
        Ok(Reads { at, field: above.iter().rev().fold(leaf, within), form })
    }
}

/// The type as which to read a column, if a statement may have such values.
fn readable_column_type(stored: &ArrowDataType, primitive: &PrimitiveType) -> Option<(ArrowDataType, Form)> {
    use ArrowDataType as Kind;
    let utc = |unit| Kind::Timestamp(unit, Some("UTC".into()));
    if has_two_decimals(primitive) {
        return None;
    }
    let kind = match (stored, primitive.physical_type) {
        // Programs write this type if they have seen no value of the column.
        _ if primitive.logical_type == Some(PrimitiveLogicalType::Unknown) => return Some((Kind::Null, Form::Nothing)),
        // An instant, whether from Impala, Hive or Spark.
        (Kind::Timestamp(unit, _), PhysicalType::Int96) => utc(*unit),
        // By the format, timestamps with only the old annotation are instants.
        (Kind::Timestamp(unit, None), _) if is_old_instant(primitive) => utc(*unit),
        (Kind::Utf8 | Kind::LargeUtf8 | Kind::Utf8View, _) => Kind::Utf8View,
        // Text without an annotation, from Impala or Hive. Bytes that are not UTF-8 are refused when they are read.
        (Kind::Binary | Kind::LargeBinary | Kind::BinaryView, PhysicalType::ByteArray) if !is_bson(primitive) => {
            return Some((Kind::BinaryView, Form::Bytes));
        }
        (Kind::FixedSizeBinary(16), _) if primitive.logical_type == Some(PrimitiveLogicalType::Uuid) => {
            return Some((stored.clone(), Form::Uuid));
        }
        (Kind::Boolean, _) => Kind::Boolean,
        (Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int64, _) => stored.clone(),
        (Kind::UInt8 | Kind::UInt16 | Kind::UInt32 | Kind::UInt64, _) => stored.clone(),
        (Kind::Float32 | Kind::Float64 | Kind::Date32 | Kind::Timestamp(..), _) => stored.clone(),
        (Kind::Decimal(precision, _), _) if *precision <= 38 => stored.clone(),
        _ => return None,
    };
    Some((kind, Form::AsStored))
}

fn is_old_instant(primitive: &PrimitiveType) -> bool {
    use PrimitiveConvertedType::{TimestampMicros, TimestampMillis};
    primitive.logical_type.is_none() && matches!(primitive.converted_type, Some(TimestampMicros | TimestampMillis))
}

/// Whether the two annotations of the decimals disagree: one of them is damaged.
fn has_two_decimals(primitive: &PrimitiveType) -> bool {
    match (primitive.logical_type, primitive.converted_type) {
        (
            Some(PrimitiveLogicalType::Decimal(precision, scale)),
            Some(PrimitiveConvertedType::Decimal(old_precision, old_scale)),
        ) => (precision, scale) != (old_precision, old_scale),
        _ => false,
    }
}

fn is_bson(primitive: &PrimitiveType) -> bool {
    primitive.logical_type == Some(PrimitiveLogicalType::Bson)
        || primitive.converted_type == Some(PrimitiveConvertedType::Bson)
}

/// The type of a column, in the format's terms.
fn describe_held_type(primitive: &PrimitiveType) -> String {
    let stored = match primitive.physical_type {
        PhysicalType::Boolean => "BOOLEAN".to_owned(),
        PhysicalType::Int32 => "INT32".to_owned(),
        PhysicalType::Int64 => "INT64".to_owned(),
        PhysicalType::Int96 => "INT96".to_owned(),
        PhysicalType::Float => "FLOAT".to_owned(),
        PhysicalType::Double => "DOUBLE".to_owned(),
        PhysicalType::ByteArray => "BYTE_ARRAY".to_owned(),
        PhysicalType::FixedLenByteArray(length) => format!("FIXED_LEN_BYTE_ARRAY({length})"),
    };
    let note = match (primitive.logical_type, primitive.converted_type) {
        _ if has_two_decimals(primitive) => {
            " with two notes on its decimals that disagree; the file is damaged".to_owned()
        }
        (Some(PrimitiveLogicalType::Decimal(precision, scale)), _)
        | (None, Some(PrimitiveConvertedType::Decimal(precision, scale))) => {
            format!(" with DECIMAL({precision}, {scale})")
        }
        (Some(PrimitiveLogicalType::Time { .. }), _)
        | (None, Some(PrimitiveConvertedType::TimeMillis | PrimitiveConvertedType::TimeMicros)) => {
            " with TIME".to_owned()
        }
        (_, Some(PrimitiveConvertedType::Interval)) => " with INTERVAL".to_owned(),
        _ if is_bson(primitive) => " with BSON".to_owned(),
        _ if primitive.physical_type == PhysicalType::FixedLenByteArray(16) => " without the note UUID".to_owned(),
        _ => String::new(),
    };
    format!("{stored}{note}")
}
