//! `:86:`, the text of an entry: German subfields `?20`, Dutch keywords `/NAME/`, or plain text.

use crate::statement::formats::entry_rows::{join_narration_texts, single_blanks};

/// What the text says, by the columns it goes into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Details {
    /// The German code of the business transaction, `166`.
    pub(super) code: String,
    pub(super) people: String,
    /// The bank and the account of the other side.
    pub(super) bank: String,
    pub(super) reference: String,
    pub(super) desc: String,
}

/// Letters of a line. A line of this width goes on in the next without a blank.
const WIDTH: usize = 65;
/// Letters of a German subfield, likewise.
const SUBFIELD: usize = 27;

/// Tags within the German remittance text. `MTLG:` is the bank's own message.
const TAGS: [&str; 15] = [
    "EREF+", "KREF+", "MREF+", "CRED+", "DEBT+", "COAM+", "OAMT+", "SVWZ+", "ABWA+", "ABWE+", "IBAN+", "BIC+", "PURP+",
    "SQTP+", "MTLG:",
];

/// Keywords of Dutch banks.
const KEYWORDS: [&str; 27] = [
    "TRTP", "IBAN", "BIC", "NAME", "REMI", "EREF", "ORDP", "BENM", "CSID", "MARF", "RTRN", "SVCL", "ISDT", "ID",
    "ADDR", "CNTP", "PREF", "PURP", "TRCD", "ULTC", "ULTD", "EXCH", "CHGS", "OCMT", "BUSP", "KREF", "SCOR",
];

/// Reads the lines of a `:86:`.
pub(super) fn read_entry_details(lines: &[&str]) -> Details {
    let mark = lines.first().and_then(|line| split_german_details(line.trim_start())).map(|(.., mark)| mark);
    let text = join_lines(lines, mark);
    let text = text.trim();
    if let Some((code, rest, mark)) = split_german_details(text) {
        return read_german_subfields(code, rest, mark);
    }
    match split_dutch_keyword(text) {
        Some(_) => read_dutch_keywords(text),
        None => Details { desc: text.to_owned(), ..Details::default() },
    }
}

/// One text of several lines. The first may count its tag, `:86:`, into the width. A subfield needs no blank before it.
fn join_lines(lines: &[&str], mark: Option<char>) -> String {
    let mut text = String::new();
    let mut is_cut = true;
    for (at, line) in lines.iter().enumerate() {
        let begins_subfield = mark.is_some_and(|mark| split_subfield_number(line, mark).is_some());
        if !is_cut && !begins_subfield && !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(line);
        let length = line.chars().count();
        is_cut = length >= WIDTH || at == 0 && length + ":86:".len() == WIDTH;
    }
    text
}

/// The code and the rest of a text such as `166?00GUTSCHRIFT?20..`, and the mark that it uses for `?`.
fn split_german_details(text: &str) -> Option<(&str, &str, char)> {
    let (code, rest) = text.split_at_checked(3)?;
    let mark = rest.chars().next().filter(|mark| !mark.is_alphanumeric() && *mark != ' ')?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_digit());
    (is_code && split_subfield_number(rest, mark).is_some()).then_some((code, rest, mark))
}

/// The number of the subfield that begins here, and the rest.
fn split_subfield_number(text: &str, mark: char) -> Option<(u32, &str)> {
    let (number, rest) = text.strip_prefix(mark)?.split_at_checked(2)?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok().map(|number| (number, rest)))?
}

fn read_german_subfields(code: &str, text: &str, mark: char) -> Details {
    let (mut booking, mut remittance, mut name, mut bank) = (String::new(), Joined::new(), Joined::new(), Vec::new());
    let mut rest = text;
    while let Some((number, after)) = split_subfield_number(rest, mark) {
        let starts =
            |(at, _): &(usize, &str)| after.get(*at..).is_some_and(|text| split_subfield_number(text, mark).is_some());
        let end = after.match_indices(mark).find(starts).map_or(after.len(), |(at, _)| at);
        let value = after.get(..end).unwrap_or_default();
        rest = after.get(end..).unwrap_or_default();
        match number {
            0 => booking = single_blanks(value),
            // Marks of the bank's own books.
            10 | 34 => {}
            30 | 31 | 38 => bank.push(value.split_whitespace().collect::<String>()),
            32 | 33 => name.push(value),
            _ => remittance.push(value),
        }
    }
    let (reference, remittance) = split_remittance_tags(&remittance.text);
    Details {
        code: code.to_owned(),
        people: single_blanks(&name.text),
        bank: single_blanks(&bank.join(" ")),
        reference,
        desc: join_narration_texts([booking.as_str(), remittance.as_str()]),
    }
}

/// The texts of several subfields. A full one goes on in the next without a blank.
struct Joined {
    text: String,
    is_cut: bool,
}

impl Joined {
    fn new() -> Joined {
        Joined { text: String::new(), is_cut: true }
    }

    fn push(&mut self, value: &str) {
        if tag_at(value, 0).is_some() || !self.is_cut {
            self.text.push(' ');
        }
        self.text.push_str(value);
        self.is_cut = value.chars().count() >= SUBFIELD;
    }
}

/// The tag at this place, if a word begins there.
fn tag_at(text: &str, at: usize) -> Option<&'static str> {
    let (before, rest) = text.split_at_checked(at)?;
    let begins_word = before.is_empty() || before.ends_with(' ');
    TAGS.into_iter().find(|tag| begins_word && rest.starts_with(tag))
}

/// The end-to-end reference of a remittance text, and the text for people: what is said, not who says it.
fn split_remittance_tags(text: &str) -> (String, String) {
    let starts = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1));
    let tags: Vec<(usize, &str)> = starts.filter_map(|at| Some((at, tag_at(text, at)?))).collect();
    let untagged = text.get(..tags.first().map_or(text.len(), |(at, _)| *at)).unwrap_or_default();
    let (mut reference, mut shown) = (String::new(), vec![single_blanks(untagged)]);
    for (place, (start, tag)) in tags.iter().enumerate() {
        let end = tags.get(place + 1).map_or(text.len(), |(at, _)| *at);
        let value = single_blanks(text.get(start + tag.len()..end).unwrap_or_default());
        match *tag {
            "EREF+" if is_reference(&value) => reference = value,
            "SVWZ+" | "MTLG:" => shown.push(value),
            _ => {}
        }
    }
    (reference, join_narration_texts(shown.iter().map(String::as_str)))
}

/// Whether a text is a reference, and not a word for none.
pub(super) fn is_reference(text: &str) -> bool {
    !["", "NONREF", "NOTPROVIDED", "EREF", "KREF", "EREF+", "KREF+"].contains(&text)
}

/// The keyword that begins here, such as `/NAME/`, and the text after it.
fn split_dutch_keyword(text: &str) -> Option<(&'static str, &str)> {
    let (word, rest) = text.strip_prefix('/')?.split_once('/')?;
    KEYWORDS.iter().find(|known| **known == word).map(|known| (*known, rest))
}

fn read_dutch_keywords(text: &str) -> Details {
    let mut read = Details::default();
    let (mut shown, mut bank): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some((word, after)) = split_dutch_keyword(rest) {
        let starts = |at: &usize| after.get(*at..).is_some_and(|text| split_dutch_keyword(text).is_some());
        let end = after.match_indices('/').map(|(at, _)| at).find(starts).unwrap_or(after.len());
        let value = after.get(..end).unwrap_or_default().trim_matches(['/', ' ']);
        rest = after.get(end..).unwrap_or_default();
        match word {
            "NAME" => read.people = single_blanks(value),
            "IBAN" | "BIC" => bank.push(single_blanks(value)),
            "CNTP" => {
                let parts: Vec<&str> = value.split('/').collect();
                bank.extend(parts.iter().take(2).map(|part| single_blanks(part)));
                read.people = parts.get(2).map(|name| single_blanks(name)).unwrap_or_default();
            }
            "EREF" if is_reference(value) => read.reference = single_blanks(value),
            "REMI" => shown.push(value.trim_start_matches("USTD").trim_start_matches('/').to_owned()),
            "TRTP" => shown.insert(0, value.to_owned()),
            _ => {}
        }
    }
    read.bank = single_blanks(&bank.join(" "));
    read.desc = join_narration_texts(shown.iter().map(String::as_str));
    read
}
