//! Values of statements from the columns of a frame, and into them. Knows no program.

use polars::prelude::{
    BooleanChunked, ChunkTake, Column as Framed, DataType, Float64Chunked, IdxCa, Int64Chunked, IntoColumn,
    NewChunkedArray, PolarsResult, StringChunked,
};
use polars_arrow::bitmap::Bitmap;

use crate::metrics::column::{Bits, Column, Data, Few, Reason, Texts, few, from_values, known, some_unknown};
use crate::rules::program::Value;
use crate::rules::{Repr, Type, Unit};
use crate::words::rational::Rational;

/// The values of a frame's column, null and what is no number unknown; texts of what is no text are read by `read`. `None` where they are not of the type.
pub(crate) fn taken<'a>(framed: &'a Framed, ty: Type, read: &dyn Fn(&str) -> Option<Value>) -> Option<Column<'a>> {
    let rows = framed.len();
    let column = match (ty.repr, framed.dtype()) {
        (_, DataType::Null) => from_values(vec![Err(Reason::NotGiven); rows], ty.repr),
        (Repr::Text, DataType::String) => {
            let texts = framed.str().ok()?;
            Column { valid: leaf::known(texts), ..Column::known(Data::Text(Texts::of(texts))) }
        }
        (_, DataType::String) => {
            let read = |text: Option<&str>| text.map_or(Some(Err(Reason::NotGiven)), |text| read(text).map(Ok));
            from_values(framed.str().ok()?.iter().map(read).collect::<Option<Vec<_>>>()?, ty.repr)
        }
        (Repr::Int, DataType::Date) if ty.unit == Unit::Date => {
            let days = framed.to_physical_repr().cast(&DataType::Int64).ok()?;
            ints(days.i64().ok()?)
        }
        (Repr::Int | Repr::Rational | Repr::Float, _) if ty.unit.is_iso() => return None,
        (Repr::Int, DataType::Int64) => ints(framed.i64().ok()?),
        (Repr::Int, dtype) if dtype.is_integer() => {
            let wide = framed.strict_cast(&DataType::Int64).ok()?;
            ints(wide.i64().ok()?)
        }
        (Repr::Rational, dtype) if dtype.is_integer() => {
            let wide = framed.strict_cast(&DataType::Int64).ok()?;
            let column = ints(wide.i64().ok()?);
            Column { data: Data::Rational(few(column.rationals().iter().cloned())), ..column }
        }
        (Repr::Rational | Repr::Float, DataType::Float32) => {
            // By its own shortest decimal: as a double it would have another one.
            let wide = framed.f32().ok()?.iter().map(|value| value?.to_string().parse().ok());
            floats(&Float64Chunked::from_iter_options("".into(), wide), ty)
        }
        (Repr::Rational | Repr::Float, dtype) if dtype.is_primitive_numeric() => {
            let wide = framed.cast(&DataType::Float64).ok()?;
            floats(wide.f64().ok()?, ty)
        }
        (Repr::Boolean, DataType::Boolean) => {
            let truths = framed.bool().ok()?;
            let data = Data::Boolean(Bits::of(rows, |row| truths.get(row) == Some(true)));
            Column { valid: leaf::known(truths), ..Column::known(data) }
        }
        _ => return None,
    };
    let reasons = if column.valid.is_some() { Few::from_elem(Reason::NotGiven, rows) } else { Few::new() };
    Some(Column { reasons, ..column })
}

fn ints(values: &Int64Chunked) -> Column<'static> {
    let mut ints = Vec::with_capacity(values.len());
    values.downcast_iter().for_each(|chunk| ints.extend_from_slice(chunk.values()));
    Column { valid: leaf::known(values), ..Column::known(Data::Int(ints.into())) }
}

/// What is no number is as unknown as what is not there.
fn floats(values: &Float64Chunked, ty: Type) -> Column<'static> {
    let mut floats = Vec::with_capacity(values.len());
    values.downcast_iter().for_each(|chunk| floats.extend_from_slice(chunk.values()));
    let mut valid = leaf::known(values);
    if floats.iter().any(|value: &f64| !value.is_finite()) {
        let finite = Bits::of_values(&floats, f64::is_finite);
        valid = some_unknown(valid.map_or(finite.clone(), |valid| valid.and(&finite)));
    }
    let data = if ty.repr == Repr::Rational { Data::Decimals(floats.into()) } else { Data::Float(floats.into()) };
    Column { valid, ..Column::known(data) }
}

/// A column of a frame, null where unknown; times and durations are text, and a list is text that says it as JSON.
pub(crate) fn told(name: &str, ty: Type, column: &Column, rows: usize) -> PolarsResult<Framed> {
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
            // Nobody wants to read -0.
            let floats = values.iter().map(|value| value + 0.0).collect();
            Float64Chunked::from_vec_validity(name.into(), floats, known()).into_column()
        }
        Data::Boolean(truths) if is_whole => {
            let truth = |row| column.is_known(row).then(|| truths.get(row));
            BooleanChunked::from_iter_options(name.into(), (0..rows).map(truth)).into_column()
        }
        Data::Text(Texts::Named(numbers, names)) if is_whole => {
            let names = StringChunked::from_iter_values(name.into(), names.iter().map(AsRef::as_ref).chain([""]));
            let nobody = names.len() as u32 - 1;
            let of_rows = numbers.iter().map(|number| (*number).min(nobody)).collect();
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

pub(super) fn values_column<'v>(
    name: &str,
    ty: Type,
    values: impl Iterator<Item = Option<&'v Value>>,
) -> PolarsResult<Framed> {
    let name = name.into();
    Ok(match ty.repr {
        // ISO 8601 is said alike by every writer and read by every reader; columns of times are not.
        Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() && ty.unit != Unit::Date => {
            let texts = values.map(|value| value.and_then(|value| ty.unit.iso(value)));
            Framed::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Int => {
            let ints: Vec<Option<i64>> = values.map(|value| value.and_then(Value::int)).collect();
            let column = Framed::new(name, ints);
            if ty.unit == Unit::Date { column.cast(&DataType::Int32)?.cast(&DataType::Date)? } else { column }
        }
        Repr::Rational | Repr::Float => {
            Framed::new(name, values.map(|value| value.and_then(Value::float)).collect::<Vec<_>>())
        }
        Repr::Boolean => {
            let booleans = values.map(|value| match value {
                Some(Value::Boolean(value)) => Some(*value),
                _ => None,
            });
            Framed::new(name, booleans.collect::<Vec<_>>())
        }
        // A column of text that says the list as JSON.
        Repr::List => {
            let texts = values.map(|value| value.map(|value| crate::rules::program::json(ty, value).to_string()));
            Framed::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Text => {
            let texts = values.map(|value| match value {
                Some(Value::Text(text)) => Some(text.as_str()),
                _ => None,
            });
            Framed::new(name, texts.collect::<Vec<_>>())
        }
    })
}
