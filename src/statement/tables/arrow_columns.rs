//! The columns of an Arrow table as cells can be read from them: fields of structs as columns of their own, and every
//! kind of text in one form.

use polars_arrow::array::builder::{ArrayBuilder, ShareStrategy, make_builder};
use polars_arrow::array::{Array, BinaryArray, BinaryViewArray, DictionaryArray, DictionaryKey, StructArray};
use polars_arrow::array::{PrimitiveArray, Utf8Array, Utf8ViewArray, View};
use polars_arrow::compute::utils::combine_validities_and;
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::offset::Offset;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::columns_file::Columns;
use crate::statement::tables::parquet_cells::{Chunks, texts_of_bytes};

/// A column of an Arrow table, or a field within a column of structs.
pub(crate) struct ArrowColumn {
    /// Its name, after those of the structs around it, with dots between.
    path: String,
    /// The name that it has without a columns file: a field that cannot be read must not pass for a column of this
    /// crate.
    known_as: String,
    /// Its values, or its type where they cannot be read.
    pub(crate) values: Result<Box<dyn Array>, String>,
}

impl ArrowColumn {
    /// A column that has this text in every row.
    pub(crate) fn constant(name: String, text: &str, rows: usize) -> ArrowColumn {
        let texts = Utf8ViewArray::from_slice_values(std::iter::repeat_n(text, rows).collect::<Vec<_>>());
        ArrowColumn { path: name.clone(), known_as: name, values: Ok(texts.boxed()) }
    }

    /// Its name as the table has it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn name(&self, columns: &Columns) -> &str {
        if columns.declared { &self.path } else { &self.known_as }
    }

    pub(crate) fn values(&self) -> Result<Chunks, Error> {
        let array = self.values.as_ref().map_err(|held| {
            let instead = "cast it to String, an integer, Decimal, Float64, Date or Datetime";
            Error::table(format!(
                "column `{}` holds {held}, which is not read; {instead}",
                show_source_text(&self.path)
            ))
        })?;
        if *array.dtype() == ArrowDataType::Null {
            return Ok(Chunks::nothing(array.len()));
        }
        if *array.dtype() == ArrowDataType::BinaryView {
            let texts = texts_of_bytes(std::slice::from_ref(array), 0).map_err(|row| {
                let row = row.map_or_else(String::new, |row| format!(" in row {}", row + 1));
                Error::table(format!(
                    "column `{}` holds bytes that are no UTF-8 text{row}; cast it to String",
                    show_source_text(&self.path)
                ))
            })?;
            return Chunks::from_arrays(&texts).ok_or_else(|| Error::table("a column of bytes is no text"));
        }
        let unread =
            || Error::table(format!("column `{}` is not stored as its type declares", show_source_text(&self.path)));
        Chunks::from_arrays(std::slice::from_ref(array)).ok_or_else(unread)
    }
}

/// A column: its name, and its values, or what they are where nothing here can hold them.
pub type GivenColumn = (String, Result<Box<dyn Array>, String>);

/// Adds a column, or the fields of a column of structs. A field is null where a struct around it is.
pub(crate) fn add_column((path, array): GivenColumn, columns: &mut Vec<ArrowColumn>) {
    match array {
        Ok(array) => add_arrow_column(path, false, array, columns),
        Err(held) => columns.push(ArrowColumn { known_as: path.clone(), path, values: Err(held) }),
    }
}

fn add_arrow_column(path: String, is_field: bool, array: Box<dyn Array>, columns: &mut Vec<ArrowColumn>) {
    if let Some(outer) = array.as_any().downcast_ref::<StructArray>() {
        for (field, values) in outer.fields().iter().zip(outer.values()) {
            let validity = combine_validities_and(values.validity(), outer.validity());
            add_arrow_column(format!("{path}.{}", field.name), true, values.with_validity(validity), columns);
        }
        return;
    }
    let values = require_readable_type(array);
    let known_as = match &values {
        Err(held) if is_field => format!("{path} ({held})"),
        _ => path.clone(),
    };
    columns.push(ArrowColumn { path, known_as, values });
}

/// The values, if they are of a type that a statement may have; else that type.
fn require_readable_type(array: Box<dyn Array>) -> Result<Box<dyn Array>, String> {
    use ArrowDataType as Type;
    let held = match array.dtype() {
        Type::Null | Type::Utf8View | Type::BinaryView | Type::Boolean => return Ok(array),
        Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => return Ok(array),
        Type::UInt8 | Type::UInt16 | Type::UInt32 | Type::UInt64 => return Ok(array),
        Type::Float32 | Type::Float64 | Type::Date32 | Type::Timestamp(..) => return Ok(array),
        Type::Decimal(precision, _) if *precision <= 38 => return Ok(array),
        Type::Decimal32(_, scale) => return widen_narrow_decimals::<i32>(array.as_ref(), *scale),
        Type::Decimal64(_, scale) => return widen_narrow_decimals::<i64>(array.as_ref(), *scale),
        Type::Date64 => return days_of_milliseconds(array.as_ref()),
        Type::Utf8 | Type::LargeUtf8 | Type::Binary | Type::LargeBinary => {
            return view_texts_in_place(array.as_ref())
                .map(BinaryViewArray::boxed)
                .ok_or_else(|| "damaged text".to_owned());
        }
        Type::List(_) | Type::LargeList(_) | Type::FixedSizeList(..) => "a list".to_owned(),
        Type::Dictionary(..) => {
            return values_of_categories(array.as_ref()).ok_or_else(|| "categories that cannot be read".to_owned());
        }
        Type::Time32(_) | Type::Time64(_) => "times of day".to_owned(),
        Type::Duration(_) => "durations".to_owned(),
        Type::FixedSizeBinary(_) => "bytes of a fixed length".to_owned(),
        Type::Float16 => "half floats".to_owned(),
        other => format!("{other:?}"),
    };
    Err(held)
}

/// Texts or bytes as views into the same memory: nothing is copied but texts of up to 12 bytes, which are part of a
/// view. Whether bytes are UTF-8 is not checked here.
fn view_texts_in_place(array: &dyn Array) -> Option<BinaryViewArray> {
    let any = array.as_any();
    match array.dtype() {
        ArrowDataType::Utf8View => Some(any.downcast_ref::<Utf8ViewArray>()?.to_binview()),
        ArrowDataType::BinaryView => any.downcast_ref::<BinaryViewArray>().cloned(),
        ArrowDataType::Utf8 => views_of_bytes(&any.downcast_ref::<Utf8Array<i32>>()?.to_binary()),
        ArrowDataType::LargeUtf8 => views_of_bytes(&any.downcast_ref::<Utf8Array<i64>>()?.to_binary()),
        ArrowDataType::Binary => views_of_bytes(any.downcast_ref::<BinaryArray<i32>>()?),
        ArrowDataType::LargeBinary => views_of_bytes(any.downcast_ref::<BinaryArray<i64>>()?),
        _ => None,
    }
}

/// A view has 32 bits for where its text begins: longer memory is cut into parts that overlap by a longest text.
const PART_BYTES: usize = 1 << 31;

/// `None` if an offset lies outside the bytes.
fn views_of_bytes<O: Offset>(array: &BinaryArray<O>) -> Option<BinaryViewArray> {
    let bytes = array.values();
    let mut views = Vec::with_capacity(array.len());
    for ends in array.offsets().buffer().windows(2) {
        let [from, to] = [ends.first()?.to_usize(), ends.last()?.to_usize()];
        let text = bytes.get(from..to).filter(|text| text.len() < PART_BYTES)?;
        views.push(View::new_from_bytes(text, (from / PART_BYTES) as u32, (from % PART_BYTES) as u32));
    }
    let part = |from: usize| bytes.clone().sliced(from..bytes.len().min(from + 2 * PART_BYTES - 1));
    let parts: Buffer<Buffer<u8>> = (0..bytes.len()).step_by(PART_BYTES).map(part).collect::<Vec<_>>().into();
    BinaryViewArray::try_new(ArrowDataType::BinaryView, views.into(), parts, array.validity().cloned()).ok()
}

/// Narrow decimals as wide ones.
fn widen_narrow_decimals<T: NativeType + Into<i128>>(
    array: &dyn Array,
    scale: usize,
) -> Result<Box<dyn Array>, String> {
    let narrow = array.as_any().downcast_ref::<PrimitiveArray<T>>().ok_or("damaged decimals")?;
    let wide: Vec<Option<i128>> = narrow.iter().map(|digits| digits.map(|digits| (*digits).into())).collect();
    Ok(PrimitiveArray::from(wide).to(ArrowDataType::Decimal(38, scale)).boxed())
}

const MILLISECONDS_A_DAY: i64 = 86_400_000;

/// Days that are counted in milliseconds.
fn days_of_milliseconds(array: &dyn Array) -> Result<Box<dyn Array>, String> {
    let counts = array.as_any().downcast_ref::<PrimitiveArray<i64>>().ok_or("damaged days")?;
    let mut days = Vec::with_capacity(counts.len());
    for count in counts.iter() {
        let day = match count {
            Some(count) if count % MILLISECONDS_A_DAY != 0 => return Err("days that are no whole days".to_owned()),
            Some(count) => Some(i32::try_from(count / MILLISECONDS_A_DAY).map_err(|_| "days out of range")?),
            None => None,
        };
        days.push(day);
    }
    Ok(PrimitiveArray::from(days).to(ArrowDataType::Date32).boxed())
}

/// The values of a column of categories. `None` if a key names none of them.
fn values_of_categories(array: &dyn Array) -> Option<Box<dyn Array>> {
    let by_keys = [
        values_by_keys::<u32>,
        values_by_keys::<i32>,
        values_by_keys::<u8>,
        values_by_keys::<i8>,
        values_by_keys::<u16>,
        values_by_keys::<i16>,
        values_by_keys::<i64>,
        values_by_keys::<u64>,
    ];
    by_keys.iter().find_map(|values| values(array))
}

/// A place beyond all categories: null.
const NO_CATEGORY: u32 = u32::MAX;

fn values_by_keys<K: DictionaryKey>(array: &dyn Array) -> Option<Box<dyn Array>> {
    let array = array.as_any().downcast_ref::<DictionaryArray<K>>()?;
    // Nobody has checked texts among the categories yet, either.
    let categories = match array.values().dtype() {
        ArrowDataType::Utf8View => view_texts_in_place(array.values().as_ref())?.boxed(),
        _ => require_readable_type(array.values().clone()).ok()?,
    };
    let mut places = Vec::with_capacity(array.len());
    for key in array.keys().iter() {
        places.push(match key {
            None => NO_CATEGORY,
            Some(key) => {
                let at: usize = (*key).try_into().ok()?;
                u32::try_from(at).ok().filter(|_| at < categories.len())?
            }
        });
    }
    let mut values = make_builder(categories.dtype());
    values.opt_gather_extend(categories.as_ref(), &places, ShareStrategy::Always);
    Some(values.freeze_reset())
}
