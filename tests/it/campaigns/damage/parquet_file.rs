//! Small Parquet files, written value by value, with what Polars does not write here: structs, lists, INT96, bytes
//! without annotation, decimals. Must not know what a column means.

use std::io::Write;

use flate2::Crc;
use polars_parquet_format::thrift::protocol::{TCompactOutputProtocol, TOutputProtocol};
use polars_parquet_format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, ConvertedType, DataPageHeader, DecimalType, Encoding,
    FieldRepetitionType, FileMetaData, LogicalType, PageHeader, PageType, RowGroup, SchemaElement, Statistics, Type,
};

/// The storage type of a leaf.
#[derive(Clone)]
pub(crate) struct Kind {
    pub(crate) physical: Type,
    pub(crate) length: Option<i32>,
    pub(crate) converted: Option<ConvertedType>,
    pub(crate) logical: Option<LogicalType>,
    /// Digits and scale.
    pub(crate) decimal: Option<(i32, i32)>,
}

impl Kind {
    pub(crate) fn plain(physical: Type) -> Kind {
        Kind { physical, length: None, converted: None, logical: None, decimal: None }
    }

    pub(crate) fn text() -> Kind {
        let logical = Some(LogicalType::STRING(Default::default()));
        Kind { converted: Some(ConvertedType::UTF8), logical, ..Kind::plain(Type::BYTE_ARRAY) }
    }

    pub(crate) fn decimal(digits: i32, scale: i32) -> Kind {
        let logical = Some(LogicalType::DECIMAL(DecimalType { scale, precision: digits }));
        Kind {
            converted: Some(ConvertedType::DECIMAL),
            logical,
            decimal: Some((digits, scale)),
            ..Kind::plain(Type::INT64)
        }
    }
}

/// A leaf below its structs, with a value for each row.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) path: Vec<&'static str>,
    pub(crate) kind: Kind,
    /// As they are stored.
    pub(crate) values: Vec<Option<Vec<u8>>>,
    /// Whether each value is the one item of a list.
    pub(crate) in_list: bool,
}

impl Column {
    pub(crate) fn new(path: &[&'static str], kind: Kind, values: Vec<Option<Vec<u8>>>) -> Column {
        Column { path: path.to_vec(), kind, values, in_list: false }
    }

    pub(crate) fn texts(path: &[&'static str], values: &[&str]) -> Column {
        Column::new(path, Kind::text(), values.iter().map(|text| Some(text.as_bytes().to_vec())).collect())
    }

    pub(crate) fn integers(path: &[&'static str], kind: Kind, values: &[Option<i64>]) -> Column {
        let stored = values.iter().map(|value| value.map(|value| value.to_le_bytes().to_vec()));
        Column::new(path, kind, stored.collect())
    }

    /// The names from the root to the leaf, those of the list too.
    fn whole_path(&self) -> Vec<String> {
        let list: &[&str] = if self.in_list { &["list", "element"] } else { &[] };
        self.path.iter().chain(list).map(|name| (*name).to_owned()).collect()
    }

    fn highest_level(&self) -> u8 {
        // Structs and the leaf itself may be null, and so may the list, which may be empty.
        self.path.len() as u8 + if self.in_list { 2 } else { 0 }
    }
}

/// A file of these columns in `groups` row groups, with or without a checksum for each page.
pub(crate) fn write(columns: &[Column], groups: usize, checksums: bool) -> Vec<u8> {
    let rows = columns[0].values.len();
    assert!(columns.iter().all(|column| column.values.len() == rows), "as many values in each column");
    let mut file = b"PAR1".to_vec();
    let row_groups: Vec<RowGroup> = (0..groups)
        .map(|group| {
            let (from, to) = (rows * group / groups, rows * (group + 1) / groups);
            let chunks: Vec<ColumnChunk> =
                columns.iter().map(|column| chunk(&mut file, column, from..to, checksums)).collect();
            let bytes =
                chunks.iter().filter_map(|chunk| chunk.meta_data.as_ref()).map(|meta| meta.total_uncompressed_size);
            RowGroup {
                total_byte_size: bytes.sum(),
                columns: chunks,
                num_rows: (to - from) as i64,
                sorting_columns: None,
                file_offset: None,
                total_compressed_size: None,
                ordinal: None,
            }
        })
        .collect();
    let footer = FileMetaData {
        version: 1,
        schema: schema(columns),
        num_rows: rows as i64,
        row_groups,
        key_value_metadata: None,
        created_by: Some("a test".to_owned()),
        column_orders: None,
        encryption_algorithm: None,
        footer_signing_key_metadata: None,
    };
    let from = file.len();
    let mut protocol = TCompactOutputProtocol::new(&mut file);
    footer.write_to_out_protocol(&mut protocol).unwrap();
    protocol.flush().unwrap();
    let length = (file.len() - from) as u32;
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(b"PAR1");
    file
}

fn chunk(file: &mut Vec<u8>, column: &Column, rows: std::ops::Range<usize>, checksums: bool) -> ColumnChunk {
    let values = &column.values[rows];
    let page = page(column, values);
    let mut crc = Crc::new();
    crc.update(&page);
    let header = PageHeader {
        type_: PageType::DATA_PAGE,
        uncompressed_page_size: page.len() as i32,
        compressed_page_size: page.len() as i32,
        crc: checksums.then(|| crc.sum().cast_signed()),
        data_page_header: Some(DataPageHeader {
            num_values: values.len() as i32,
            encoding: Encoding::PLAIN,
            definition_level_encoding: Encoding::RLE,
            repetition_level_encoding: Encoding::RLE,
            statistics: None,
        }),
        index_page_header: None,
        dictionary_page_header: None,
        data_page_header_v2: None,
    };
    let from = file.len();
    let mut protocol = TCompactOutputProtocol::new(&mut *file);
    header.write_to_out_protocol(&mut protocol).unwrap();
    protocol.flush().unwrap();
    file.write_all(&page).unwrap();
    let bytes = (file.len() - from) as i64;
    let meta = ColumnMetaData {
        type_: column.kind.physical,
        encodings: vec![Encoding::PLAIN, Encoding::RLE],
        path_in_schema: column.whole_path(),
        codec: CompressionCodec::UNCOMPRESSED,
        num_values: values.len() as i64,
        total_uncompressed_size: bytes,
        total_compressed_size: bytes,
        key_value_metadata: None,
        data_page_offset: from as i64,
        index_page_offset: None,
        dictionary_page_offset: None,
        statistics: Some(statistics(values)),
        encoding_stats: None,
        bloom_filter_offset: None,
        bloom_filter_length: None,
        size_statistics: None,
    };
    ColumnChunk {
        file_path: None,
        file_offset: 0,
        meta_data: Some(meta),
        offset_index_offset: None,
        offset_index_length: None,
        column_index_offset: None,
        column_index_length: None,
        crypto_metadata: None,
        encrypted_column_metadata: None,
    }
}

fn statistics(values: &[Option<Vec<u8>>]) -> Statistics {
    let nulls = values.iter().filter(|value| value.is_none()).count() as i64;
    Statistics {
        max: None,
        min: None,
        null_count: Some(nulls),
        distinct_count: None,
        max_value: None,
        min_value: None,
        is_max_value_exact: None,
        is_min_value_exact: None,
    }
}

/// Levels and values, as PLAIN writes them.
fn page(column: &Column, values: &[Option<Vec<u8>>]) -> Vec<u8> {
    let highest = column.highest_level();
    let levels = |level: &dyn Fn(&Option<Vec<u8>>) -> u8| {
        // One run for each value.
        let runs: Vec<u8> = values.iter().flat_map(|value| [1 << 1, level(value)]).collect();
        [(runs.len() as u32).to_le_bytes().to_vec(), runs].concat()
    };
    let mut page = if column.in_list { levels(&|_| 0) } else { Vec::new() };
    page.extend(levels(&|value| if value.is_some() { highest } else { highest - 1 }));
    for value in values.iter().flatten() {
        if column.kind.physical == Type::BYTE_ARRAY {
            page.extend((value.len() as u32).to_le_bytes());
        }
        page.extend(value);
    }
    page
}

fn schema(columns: &[Column]) -> Vec<SchemaElement> {
    let mut elements = vec![group("schema", None, 0)];
    below(columns, 0, &mut elements, 0);
    elements
}

/// Adds the schema elements at this depth of the paths, all of which go through the same structs.
fn below(columns: &[Column], depth: usize, elements: &mut Vec<SchemaElement>, parent: usize) {
    let mut children = 0;
    for same in columns.chunk_by(|one, other| one.path[depth] == other.path[depth]) {
        children += 1;
        let (name, at) = (same[0].path[depth], elements.len());
        match same {
            [leaf] if leaf.path.len() == depth + 1 && leaf.in_list => {
                let mut list = group(name, Some(FieldRepetitionType::OPTIONAL), 1);
                list.converted_type = Some(ConvertedType::LIST);
                list.logical_type = Some(LogicalType::LIST(Default::default()));
                elements.push(list);
                elements.push(group("list", Some(FieldRepetitionType::REPEATED), 1));
                elements.push(element("element", &leaf.kind));
            }
            [leaf] if leaf.path.len() == depth + 1 => elements.push(element(name, &leaf.kind)),
            inner => {
                elements.push(group(name, Some(FieldRepetitionType::OPTIONAL), 0));
                below(inner, depth + 1, elements, at);
            }
        }
    }
    elements[parent].num_children = Some(children);
}

fn group(name: &str, repetition: Option<FieldRepetitionType>, children: i32) -> SchemaElement {
    SchemaElement {
        type_: None,
        type_length: None,
        repetition_type: repetition,
        name: name.to_owned(),
        num_children: Some(children),
        converted_type: None,
        scale: None,
        precision: None,
        field_id: None,
        logical_type: None,
    }
}

fn element(name: &str, kind: &Kind) -> SchemaElement {
    SchemaElement {
        type_: Some(kind.physical),
        type_length: kind.length,
        repetition_type: Some(FieldRepetitionType::OPTIONAL),
        name: name.to_owned(),
        num_children: None,
        converted_type: kind.converted,
        scale: kind.decimal.map(|(_, scale)| scale),
        precision: kind.decimal.map(|(digits, _)| digits),
        field_id: None,
        logical_type: kind.logical.clone(),
    }
}
