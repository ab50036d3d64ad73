//! Converts columns from and to Polars. Knows no program.

use polars::prelude::{
    BooleanChunked, ChunkTake, Column as PolarsColumn, DataType, Float64Chunked, IdxCa, Int64Chunked, IntoColumn,
    NewChunkedArray, PolarsResult, StringChunked,
};
use polars_arrow::bitmap::Bitmap;

use crate::base::rational::Rational;
use crate::engine::metrics::column::{
    Bits, Data, Few, Reason, Texts, ValueColumn, collect_few, from_values, some_unknown, validity_bits,
};
use crate::rules::program::Value;
use crate::rules::{Repr, Type, Unit};

/// Reads a column of a frame. Null and NaN are unknown. `read` parses texts of a type that is not text. `None` if a
/// value is not of the type.
pub(crate) fn from_series<'a>(
    series: &'a PolarsColumn,
    ty: Type,
    read: &dyn Fn(&str) -> Option<Value>,
) -> Option<ValueColumn<'a>> {
    let rows = series.len();
    let column = match (ty.repr, series.dtype()) {
        (_, DataType::Null) => from_values(vec![Err(Reason::NotGiven); rows], ty.repr),
        (Repr::Text, DataType::String) => {
            let texts = series.str().ok()?;
            ValueColumn { valid: validity_bits(texts), ..ValueColumn::known(Data::Text(Texts::from_column(texts))) }
        }
        (_, DataType::String) => {
            let read = |text: Option<&str>| text.map_or(Some(Err(Reason::NotGiven)), |text| read(text).map(Ok));
            from_values(series.str().ok()?.iter().map(read).collect::<Option<Vec<_>>>()?, ty.repr)
        }
        (Repr::Int, DataType::Date) if ty.unit == Unit::Date => {
            let days = series.to_physical_repr().cast(&DataType::Int64).ok()?;
            ints(days.i64().ok()?)
        }
        (Repr::Int | Repr::Rational | Repr::Float, _) if ty.unit.is_iso() => return None,
        (Repr::Int, DataType::Int64) => ints(series.i64().ok()?),
        (Repr::Int, dtype) if dtype.is_integer() => {
            let wide = series.strict_cast(&DataType::Int64).ok()?;
            ints(wide.i64().ok()?)
        }
        (Repr::Rational, dtype) if dtype.is_integer() => {
            let wide = series.strict_cast(&DataType::Int64).ok()?;
            let column = ints(wide.i64().ok()?);
            ValueColumn { data: Data::Rational(collect_few(column.rationals().iter().cloned())), ..column }
        }
        (Repr::Rational | Repr::Float, DataType::Float32) => {
            // Uses the float's own shortest decimal: as a double it would have another one.
            let wide = series.f32().ok()?.iter().map(|value| value?.to_string().parse().ok());
            floats(&Float64Chunked::from_iter_options("".into(), wide), ty)
        }
        (Repr::Rational | Repr::Float, dtype) if dtype.is_primitive_numeric() => {
            let wide = series.cast(&DataType::Float64).ok()?;
            floats(wide.f64().ok()?, ty)
        }
        (Repr::Boolean, DataType::Boolean) => {
            let truths = series.bool().ok()?;
            let data = Data::Boolean(Bits::from_fn(rows, |row| truths.get(row) == Some(true)));
            ValueColumn { valid: validity_bits(truths), ..ValueColumn::known(data) }
        }
        _ => return None,
    };
    let reasons = if column.valid.is_some() { Few::from_elem(Reason::NotGiven, rows) } else { Few::new() };
    Some(ValueColumn { reasons, ..column })
}

fn ints(values: &Int64Chunked) -> ValueColumn<'static> {
    let mut ints = Vec::with_capacity(values.len());
    values.downcast_iter().for_each(|chunk| ints.extend_from_slice(chunk.values()));
    ValueColumn { valid: validity_bits(values), ..ValueColumn::known(Data::Int(ints.into())) }
}

/// NaN and infinity are as unknown as null.
fn floats(values: &Float64Chunked, ty: Type) -> ValueColumn<'static> {
    let mut floats = Vec::with_capacity(values.len());
    values.downcast_iter().for_each(|chunk| floats.extend_from_slice(chunk.values()));
    let mut valid = validity_bits(values);
    if floats.iter().any(|value: &f64| !value.is_finite()) {
        let finite = Bits::from_values(&floats, f64::is_finite);
        valid = some_unknown(valid.map_or(finite.clone(), |valid| valid.and(&finite)));
    }
    let data = if ty.repr == Repr::Rational { Data::Decimals(floats.into()) } else { Data::Float(floats.into()) };
    ValueColumn { valid, ..ValueColumn::known(data) }
}

/// Writes a column for a frame, null where unknown. Times and durations are text; a list is JSON text.
pub(crate) fn to_series(name: &str, ty: Type, column: &ValueColumn, rows: usize) -> PolarsResult<PolarsColumn> {
    let is_whole = column.len() == rows && (!ty.unit.is_iso() || ty.unit == Unit::Date);
    let known = || column.valid.as_ref().map(bitmap);
    Ok(match &column.data {
        Data::Int(values) if is_whole => {
            let whole = Int64Chunked::from_vec_validity(name.into(), values.to_vec(), known()).into_column();
            if ty.unit == Unit::Date { whole.cast(&DataType::Int32)?.cast(&DataType::Date)? } else { whole }
        }
        Data::Rational(values) if is_whole => {
            let floats = values.iter().map(Rational::to_f64).collect();
            Float64Chunked::from_vec_validity(name.into(), floats, known()).into_column()
        }
        Data::Decimals(values) | Data::Float(values) if is_whole => {
            // Never writes -0.
            let floats = values.iter().map(|value| value + 0.0).collect();
            Float64Chunked::from_vec_validity(name.into(), floats, known()).into_column()
        }
        Data::Boolean(truths) if is_whole => {
            let truth = |row| column.is_known(row).then(|| truths.get(row));
            BooleanChunked::from_iter_options(name.into(), (0..rows).map(truth)).into_column()
        }
        Data::Text(Texts::Named(numbers, names)) if is_whole => {
            let names = StringChunked::from_iter_values(name.into(), names.iter().map(AsRef::as_ref).chain([""]));
            let nameless = names.len() as u32 - 1;
            let of_rows = numbers.iter().map(|number| (*number).min(nameless)).collect();
            let of_rows = IdxCa::from_vec_validity(name.into(), of_rows, known());
            names.take(&of_rows)?.into_column()
        }
        Data::Text(texts) if is_whole => {
            let text = |row| column.is_known(row).then(|| texts.get(row));
            StringChunked::from_iter_options(name.into(), (0..rows).map(text)).into_column()
        }
        _ => {
            let values: Vec<Result<Value, Reason>> = (0..rows).map(|row| column.value(row)).collect();
            values_column(name, ty, values.iter().map(|value| value.as_ref().ok()))?
        }
    })
}

fn bitmap(bits: &Bits) -> Bitmap {
    Bitmap::from_u8_vec(bits.words().iter().flat_map(|word| word.to_le_bytes()).collect(), bits.len())
}

pub(crate) fn values_column<'v>(
    name: &str,
    ty: Type,
    values: impl Iterator<Item = Option<&'v Value>>,
) -> PolarsResult<PolarsColumn> {
    let name = name.into();
    Ok(match ty.repr {
        // ISO 8601 text, because not every reader knows columns of times.
        Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() && ty.unit != Unit::Date => {
            let texts = values.map(|value| value.and_then(|value| ty.unit.iso(value)));
            PolarsColumn::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Int => {
            let ints: Vec<Option<i64>> = values.map(|value| value.and_then(Value::int)).collect();
            let column = PolarsColumn::new(name, ints);
            if ty.unit == Unit::Date { column.cast(&DataType::Int32)?.cast(&DataType::Date)? } else { column }
        }
        Repr::Rational | Repr::Float => {
            PolarsColumn::new(name, values.map(|value| value.and_then(Value::float)).collect::<Vec<_>>())
        }
        Repr::Boolean => {
            let booleans = values.map(|value| match value {
                Some(Value::Boolean(value)) => Some(*value),
                _ => None,
            });
            PolarsColumn::new(name, booleans.collect::<Vec<_>>())
        }
        // The list as JSON text.
        Repr::List => {
            let texts =
                values.map(|value| value.map(|value| crate::rules::program::value_as_json(ty, value).to_string()));
            PolarsColumn::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Text => {
            let texts = values.map(|value| match value {
                Some(Value::Text(text)) => Some(text.as_str()),
                _ => None,
            });
            PolarsColumn::new(name, texts.collect::<Vec<_>>())
        }
    })
}
