//! What a file says about other pages of the same answer or statement. A part must not pass for the whole.

use serde_json::Value;

use super::answers::Doubt;
use super::grid::FileCell;
use super::json;
use super::source::{Container, SourceTable};
use super::words;

/// What a value outside the rows of an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageSign {
    Next,
    Previous,
    Rows,
    Pages,
}

impl PageSign {
    /// All of them, with their keys in `[pages]` of a columns file.
    pub(crate) const ALL: [(PageSign, &'static str); 4] = [
        (PageSign::Next, "next"),
        (PageSign::Previous, "previous"),
        (PageSign::Rows, "rows"),
        (PageSign::Pages, "pages"),
    ];
}

/// A value that says something about other pages, by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageValue {
    pub(crate) sign: PageSign,
    pub(crate) path: String,
    /// Whether this file lacks another page.
    pub(crate) is_part: bool,
}

/// The values of a JSON answer with so many rows that are named like those about pages.
pub(crate) fn find_page_values(values: &[Value], rows: usize) -> Vec<PageValue> {
    let [answer @ Value::Object(_)] = values else { return Vec::new() };
    json::values_around_lists(answer).into_iter().filter_map(|(path, cell)| page_value(path, &cell, rows)).collect()
}

fn page_value(path: String, cell: &FileCell, rows: usize) -> Option<PageValue> {
    let number = cell.text.parse::<usize>().ok();
    let sign = sign_of_name(&path)?;
    let is_part = match sign {
        PageSign::Next | PageSign::Previous => !matches!(cell.trimmed(), "" | "false" | "0"),
        PageSign::Rows => number? > rows,
        PageSign::Pages => number? > 1,
    };
    // A smaller number counts something else, or the rows of one page.
    let is_count = sign != PageSign::Rows || number? > rows || (number? == rows && !is_count_of_page(&path));
    is_count.then_some(PageValue { sign, path, is_part })
}

/// The letters of a key of JSON: `has_more`, `hasMore`.
fn letters_of_key(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

fn is_count_of_page(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|key| letters_of_key(key) == "count")
}

fn sign_of_name(path: &str) -> Option<PageSign> {
    let mut keys = path.rsplit('.').map(letters_of_key);
    let last = keys.next()?;
    let name = if matches!(last.as_str(), "href" | "url" | "cursor" | "token") { keys.next()? } else { last };
    Some(match name.as_str() {
        "next" | "hasnext" | "hasmore" | "more" | "moreavailable" | "hasmorepages" | "hasnextpage" | "nextpage"
        | "nextcursor" | "nextlink" | "nexturl" | "nexttoken" | "nextpagetoken" | "nextkey" | "continuationtoken"
        | "continuationkey" => PageSign::Next,
        "previous" | "prev" | "hasprevious" | "hasprev" | "haspreviouspage" | "hasprevpage" | "previouspage"
        | "prevpage" => PageSign::Previous,
        "total" | "count" | "totalcount" | "totalrecords" | "totalrows" | "totaltransactions" | "totalitems"
        | "totalresults" | "totalelements" | "totaldocs" => PageSign::Rows,
        "totalpages" | "pagecount" | "pages" | "lastpage" => PageSign::Pages,
        _ => return None,
    })
}

/// What to say if a file is a page of a longer answer.
pub(crate) fn list_page_notes(sources: &[SourceTable]) -> Vec<String> {
    let note = |source: &SourceTable| {
        let part = source.pages.iter().find(|value| value.is_part)?;
        Some(format!(
            "{}: `{}` says that the answer has more pages than this file, so it will be refused as it is; put all \
             pages into one file, one after another",
            source.name, part.path
        ))
    };
    sources.iter().filter_map(note).collect()
}

/// A doubt about a table of text that ends with a line such as `Page 1 of 3`.
pub(crate) fn doubt_missing_pages(sources: &[SourceTable]) -> Option<Doubt> {
    let texts = sources.iter().filter(|source| matches!(source.container, Container::Text | Container::Workbook));
    let (source, line) =
        texts.flat_map(|source| source.table.below.iter().map(move |line| (source, line))).find(|(_, line)| {
            let mut filled = line.cells.iter().filter(|cell| !cell.is_blank());
            let only = filled.next().filter(|_| filled.next().is_none());
            only.is_some_and(|cell| words::names_missing_page(cell.trimmed()))
        })?;
    let text: String = line.first_filled()?.trimmed().chars().take(60).collect();
    Some(Doubt::open(format!(
        "{}: line {} says `{text}`, so other pages of the statement are missing; put all pages into one file, or \
         remove the line if they are all here",
        source.name, line.number
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the values of an answer with three rows say.
    fn signs(text: &str) -> Vec<(PageSign, String, bool)> {
        let values = json::parse_json_values(text).expect("JSON");
        let found = find_page_values(&values, 3);
        found.into_iter().map(|value| (value.sign, value.path, value.is_part)).collect()
    }

    #[test]
    fn values_around_the_rows_say_which_pages_are_missing() {
        use PageSign::{Next, Pages, Previous, Rows};
        for (text, sign, path, is_part) in [
            (r#"{"hasMore": true, "rows": [{"next": 1}]}"#, Next, "hasMore", true),
            (r#"{"has_more": false}"#, Next, "has_more", false),
            (r#"{"meta": {"next": "https://x/2"}}"#, Next, "meta.next", true),
            (r#"{"_links": {"next": {"href": "u"}}}"#, Next, "_links.next.href", true),
            (r#"{"nextCursor": ""}"#, Next, "nextCursor", false),
            (r#"{"paging": {"total": 200}}"#, Rows, "paging.total", true),
            (r#"{"total": 3}"#, Rows, "total", false),
            (r#"{"count": 500}"#, Rows, "count", true),
            (r#"{"total_pages": 2}"#, Pages, "total_pages", true),
            (r#"{"prev_page": 1}"#, Previous, "prev_page", true),
        ] {
            assert_eq!(signs(text), [(sign, path.to_owned(), is_part)], "{text}");
        }
        for text in [r#"{"total": 2}"#, r#"{"count": 3}"#, r#"{"total": "x"}"#, r#"{"status": "ok"}"#, "[1]"] {
            assert_eq!(signs(text), [], "{text}");
        }
    }
}
