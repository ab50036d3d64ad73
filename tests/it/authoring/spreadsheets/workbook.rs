//! XLSX: how cells are written, and what a spreadsheet program makes of them when it saves the file.

use std::io::Cursor;

use calamine::{Data, DataType, Reader, Xlsx};
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet};

use super::Office;

/// The cells of the first sheet of a workbook.
fn cells(bytes: &[u8]) -> Vec<Vec<Data>> {
    let mut book = Xlsx::new(Cursor::new(bytes)).unwrap();
    let name = book.sheet_names().remove(0);
    let range = book.worksheet_range(&name).unwrap();
    range.rows().map(<[Data]>::to_vec).collect()
}

fn exported(office: &Office, table: &str) -> Vec<u8> {
    let printed = office.run(&["export", "loan.toml", table, "out.xlsx", "--force"]);
    assert!(printed.succeeded, "{}", printed.text);
    std::fs::read(office.path("out.xlsx")).unwrap()
}

/// A workbook as a spreadsheet program saves it, with one cell or two written by `edit`.
fn saved(bytes: &[u8], tab: &str, edit: impl FnOnce(&mut Worksheet)) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name(tab).unwrap();
    for (row, cells) in (0..).zip(cells(bytes)) {
        for (column, cell) in (0..).zip(cells) {
            match cell {
                Data::String(text) => drop(sheet.write_string(row, column, text).unwrap()),
                Data::Float(number) => drop(sheet.write_number(row, column, number).unwrap()),
                Data::Int(number) => drop(sheet.write_number(row, column, number as f64).unwrap()),
                Data::Bool(truth) => drop(sheet.write_boolean(row, column, truth).unwrap()),
                Data::Empty => {}
                other => panic!("{other:?}"),
            }
        }
    }
    edit(sheet);
    book.save_to_buffer().unwrap()
}

#[test]
fn numbers_are_numbers_and_conditions_are_texts() {
    let office = Office::new();
    let bytes = exported(&office, "grade");
    assert_eq!(bytes, exported(&office, "grade"), "the same table gives the same bytes");
    let rows = cells(&bytes);
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!(rows[0][0], text("table.grade"));
    assert_eq!(rows[2][1], text(">= 350"));
    assert_eq!((&rows[2][6], &rows[2][7]), (&Data::Float(3.0), &Data::Float(250_000.0)));
    assert_eq!(rows[4][6], text("$rate_c"));
    assert_eq!(rows[2][8], text("best first\nThe best customers.\nsince 2025").clone());
    assert_eq!(rows[5][0], text("otherwise"));
    let care = cells(&exported(&office, "care"));
    assert_eq!((&care[2][3], &care[2][4]), (&text("01"), &Data::Bool(true)));
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let part =
        |archive: &mut zip::ZipArchive<_>, name: &str| std::io::read_to_string(archive.by_name(name).unwrap()).unwrap();
    let sheet = part(&mut archive, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("ySplit=\"2\"") && sheet.contains("state=\"frozen\""), "{sheet}");
    assert!(part(&mut archive, "xl/styles.xml").contains("<b/>"));
    assert!(part(&mut archive, "xl/workbook.xml").contains("name=\"grade\""));
}

#[test]
fn a_workbook_that_is_imported_unedited_changes_nothing() {
    for table in ["grade", "care", "region", "score"] {
        let office = Office::new();
        let (rules, rows) = (office.read("loan.toml"), office.read("region.csv"));
        let bytes = exported(&office, table);
        // Also after a program has saved it that knows none of our formats.
        for bytes in [bytes.clone(), saved(&bytes, table, |_| {}), saved(&bytes, "Sheet1", |_| {})] {
            std::fs::write(office.path("in.xlsx"), bytes).unwrap();
            let printed = office.run(&["import", "loan.toml", table, "in.xlsx"]);
            assert!(printed.succeeded && printed.text.ends_with(", no change\n"), "{table}: {}", printed.text);
            assert_eq!((office.read("loan.toml"), office.read("region.csv")), (rules.clone(), rows.clone()), "{table}");
        }
    }
}

#[test]
fn an_edited_workbook_is_imported() {
    let office = Office::new();
    let before = office.read("loan.toml");
    let bytes = saved(&exported(&office, "grade"), "grade", |sheet| {
        // A sum in doubles that a spreadsheet shows as 3.3, a number in a column of conditions, and a formula.
        sheet.write_number(2, 6, 1.1 + 2.2).unwrap();
        sheet.write_number(3, 1, 300).unwrap();
        sheet.write_formula(4, 7, Formula::new("=5*5000").set_result("25000")).unwrap();
    });
    std::fs::write(office.path("in.xlsx"), bytes).unwrap();
    let printed = office.run(&["import", "loan.toml", "grade", "in.xlsx"]);
    assert!(printed.succeeded, "{}", printed.text);
    insta::assert_snapshot!(
        "edited_workbook",
        format!("{}{}", printed.text, super::difference(&before, &office.read("loan.toml")))
    );
}

type Slip = (&'static str, &'static str, fn(&mut Worksheet));

#[test]
fn what_a_spreadsheet_does_to_cells_is_refused_at_its_cell() {
    let slips: [Slip; 13] = [
        ("a percentage", "grade", |sheet| {
            sheet.write_number_with_format(2, 6, 0.03, &Format::new().set_num_format("0.0%")).unwrap();
        }),
        ("a percentage in a condition", "grade", |sheet| {
            sheet.write_number_with_format(3, 4, 0.1, &Format::new().set_num_format_index(9)).unwrap();
        }),
        ("a date in a condition", "grade", |sheet| {
            let day = ExcelDateTime::from_ymd(2026, 2, 1).unwrap();
            sheet.write_datetime_with_format(3, 1, &day, &Format::new().set_num_format("d-mmm")).unwrap();
        }),
        ("a date in a column of dates", "care", |sheet| {
            let day = ExcelDateTime::from_ymd(2026, 2, 1).unwrap();
            sheet.write_datetime_with_format(2, 5, &day, &Format::new().set_num_format("yyyy-mm-dd")).unwrap();
        }),
        ("a formula's error", "grade", |sheet| {
            sheet.write_formula(2, 7, Formula::new("=1/0").set_result("#DIV/0!")).unwrap();
        }),
        ("merged cells", "grade", |sheet| {
            sheet.merge_range(2, 6, 3, 6, "3", &Format::new()).unwrap();
        }),
        ("a number in a column of texts", "care", |sheet| {
            sheet.write_number(2, 3, 1).unwrap();
        }),
        ("a truth in a column of texts", "grade", |sheet| {
            sheet.write_boolean(2, 2, true).unwrap();
        }),
        ("a truth in a column of numbers", "grade", |sheet| {
            sheet.write_boolean(2, 6, true).unwrap();
        }),
        ("thousands as text", "grade", |sheet| {
            sheet.write_string(2, 7, "2.500").unwrap();
        }),
        ("a decimal comma as text", "grade", |sheet| {
            sheet.write_string(2, 6, "3,5").unwrap();
        }),
        ("a number that is too large", "grade", |sheet| {
            sheet.write_number(2, 7, 1e30).unwrap();
        }),
        ("a cell beside the table", "grade", |sheet| {
            sheet.write_string(3, 10, "see here").unwrap();
        }),
    ];
    let office = Office::new();
    let before = office.read("loan.toml");
    let mut shown = String::new();
    for (name, table, edit) in slips {
        std::fs::write(office.path("in.xlsx"), saved(&exported(&office, table), table, edit)).unwrap();
        let printed = office.run(&["import", "loan.toml", table, "in.xlsx"]);
        assert!(!printed.succeeded, "{name}: {}", printed.text);
        assert_eq!(office.read("loan.toml"), before, "{name}");
        shown += &format!(
            "# {name}\n{}\n",
            printed.text.replace("error: nothing was imported; `loan.toml` is as it was\n", "")
        );
    }
    insta::assert_snapshot!("refused_workbook", shown);
}

#[test]
fn the_sheet_of_the_table_is_found_among_others() {
    let office = Office::new();
    let bytes = exported(&office, "grade");
    let with_notes = |tab: &str| {
        let mut book = Workbook::new();
        book.add_worksheet().set_name("notes").unwrap().write_string(0, 0, "ask Ada").unwrap();
        let sheet = book.add_worksheet().set_name(tab).unwrap();
        for (row, cells) in (0..).zip(cells(&bytes)) {
            for (column, cell) in (0..).zip(cells) {
                if let Some(number) = cell.get_float() {
                    sheet.write_number(row, column, number).unwrap();
                } else if let Some(text) = cell.get_string() {
                    sheet.write_string(row, column, text).unwrap();
                }
            }
        }
        std::fs::write(office.path("in.xlsx"), book.save_to_buffer().unwrap()).unwrap();
        office.run(&["import", "loan.toml", "grade", "in.xlsx"])
    };
    assert_eq!(with_notes("grade").text, "loan.toml: table.grade, no change\n");
    let printed = with_notes("grade (2)").text;
    assert!(printed.contains("no sheet is called \"grade\"; there are \"notes\", \"grade (2)\""), "{printed}");
}
