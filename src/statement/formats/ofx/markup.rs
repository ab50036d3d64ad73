//! The elements of a document, as SGML or as XML. In SGML an element with a value needs no end tag.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::statement::formats::Fault;
use crate::statement::formats::text_lines::shorten_for_message;

/// Elements that hold others, even if no end tag says so: one that is never closed is a file that was cut off.
const HOLDERS: [&str; 20] = [
    "OFX",
    "BANKMSGSRSV1",
    "CREDITCARDMSGSRSV1",
    "STMTTRNRS",
    "CCSTMTTRNRS",
    "STMTRS",
    "CCSTMTRS",
    "BANKACCTFROM",
    "CCACCTFROM",
    "BANKTRANLIST",
    "BANKTRANLISTP",
    "STMTTRN",
    "STMTTRNP",
    "LEDGERBAL",
    "AVAILBAL",
    "PAYEE",
    "CURRENCY",
    "ORIGCURRENCY",
    "STATUS",
    "BALLIST",
];

/// Elements with a value, even if it is empty and no end tag follows.
const VALUES: [&str; 26] = [
    "TRNTYPE",
    "DTPOSTED",
    "DTUSER",
    "DTAVAIL",
    "DTTRAN",
    "TRNAMT",
    "FITID",
    "CORRECTFITID",
    "CORRECTACTION",
    "CHECKNUM",
    "REFNUM",
    "NAME",
    "EXTDNAME",
    "MEMO",
    "CURSYM",
    "CURRATE",
    "BALAMT",
    "DTASOF",
    "CURDEF",
    "BANKID",
    "BRANCHID",
    "ACCTID",
    "ACCTTYPE",
    "CODE",
    "SEVERITY",
    "MESSAGE",
];

/// The deepest nesting that a document may have.
const DEPTH: usize = 64;

/// An element, in the order of the document.
#[derive(Debug)]
pub(super) struct Element<'t> {
    /// In capitals.
    pub(super) name: Cow<'t, str>,
    /// The element around it.
    pub(super) parent: Option<usize>,
    /// Its value as written, with entities replaced.
    value: Cow<'t, str>,
    /// Where it begins.
    offset: usize,
    is_holder: bool,
}

/// The elements of a document.
pub(super) struct Tree<'t> {
    text: &'t str,
    pub(super) elements: Vec<Element<'t>>,
}

enum Token<'t> {
    Open {
        name: &'t str,
        closes: bool,
    },
    Close {
        name: &'t str,
    },
    Text(Cow<'t, str>),
    /// A comment, an instruction.
    Nothing,
}

impl Element<'_> {
    pub(super) fn value(&self) -> &str {
        self.value.trim()
    }
}

impl<'t> Tree<'t> {
    pub(super) fn read(text: &'t str) -> Result<Tree<'t>, Fault> {
        let mut tree = Tree { text, elements: Vec::new() };
        let closed = closed_names(text);
        let mut open: Vec<usize> = Vec::new();
        let mut offset = tree.start()?;
        while let Some(rest) = text.get(offset..).filter(|rest| !rest.is_empty()) {
            let (token, length) = next_markup_token(rest).map_err(|what| Fault::at(tree.place_of(offset), what))?;
            tree.take(token, offset, &closed, &mut open)?;
            offset += length;
        }
        // A value at the very end needs no end tag, but the elements around it do.
        while open.last().is_some_and(|last| tree.elements.get(*last).is_some_and(|last| !last.is_holder)) {
            open.pop();
        }
        match open.last().and_then(|last| tree.elements.get(*last)) {
            None => Ok(tree),
            Some(last) => {
                let what = format!("`<{}>` is never closed; the file may be cut off", last.name);
                Err(Fault::at(tree.place(last), what))
            }
        }
    }

    /// Where an element begins: its line, and its column, since a whole file may be in one line.
    pub(super) fn place(&self, element: &Element<'_>) -> String {
        self.place_of(element.offset)
    }

    fn place_of(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.replace("\r\n", "\n").matches(['\n', '\r']).count() + 1;
        let column = before.rsplit(['\n', '\r']).next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }

    /// Whether an element is inside another, at any depth.
    pub(super) fn is_within(&self, place: usize, around: usize) -> bool {
        let parent = |place: &usize| self.elements.get(*place).and_then(|element| element.parent);
        std::iter::successors(parent(&place), parent).any(|above| above == around)
    }

    /// The elements directly within this one.
    pub(super) fn children(&self, parent: usize) -> impl Iterator<Item = (usize, &Element<'t>)> {
        // The elements within one follow it, until one that is outside.
        let after = self.elements.iter().enumerate().skip(parent + 1);
        let within = after.take_while(move |(_, element)| element.parent.is_some_and(|above| above >= parent));
        within.filter(move |(_, element)| element.parent == Some(parent))
    }

    /// The first element of this name directly within another.
    pub(super) fn child(&self, parent: usize, name: &str) -> Option<(usize, &Element<'t>)> {
        self.children(parent).find(|(_, element)| element.name == name)
    }

    /// The value of the first element of this name directly within another, or nothing if there is none.
    pub(super) fn value(&self, parent: usize, name: &str) -> &str {
        self.child(parent, name).map_or("", |(_, element)| element.value())
    }

    /// Where the first element is: what stands before is the header.
    fn start(&self) -> Result<usize, Fault> {
        let is_start = |at: &usize| {
            let tag = self.text.get(*at..at + 5).unwrap_or_default();
            tag.eq_ignore_ascii_case("<OFX>") || tag.eq_ignore_ascii_case("<OFX ")
        };
        let found = self.text.match_indices('<').map(|(at, _)| at).find(is_start);
        found.ok_or_else(|| Fault::new("there is no `<OFX>`, so this is no OFX or QFX"))
    }

    fn take(
        &mut self,
        token: Token<'t>,
        offset: usize,
        closed: &HashSet<String>,
        open: &mut Vec<usize>,
    ) -> Result<(), Fault> {
        match token {
            Token::Nothing => Ok(()),
            Token::Text(text) => self.take_text(text, offset, open),
            Token::Open { name, closes } => {
                let name = name_in_capitals(name);
                // An element with a value ends where the next one begins.
                if open.last().is_some_and(|last| self.elements.get(*last).is_some_and(|last| !last.is_holder)) {
                    open.pop();
                }
                if open.len() >= DEPTH {
                    return Err(Fault::at(self.place_of(offset), "elements are nested too deeply"));
                }
                if open.is_empty() && !self.elements.is_empty() {
                    return Err(Fault::at(
                        self.place_of(offset),
                        format!("`<{}>` follows `</OFX>`", shorten_for_message(&name)),
                    ));
                }
                let known_value = VALUES.contains(&name.as_ref());
                let is_holder = HOLDERS.contains(&name.as_ref()) || !known_value && closed.contains(name.as_ref());
                let parent = open.last().copied();
                if !closes {
                    open.push(self.elements.len());
                }
                self.elements.push(Element { name, parent, value: Cow::Borrowed(""), offset, is_holder });
                Ok(())
            }
            Token::Close { name } => self.take_close(&name_in_capitals(name), offset, open),
        }
    }

    fn take_text(&mut self, text: Cow<'t, str>, offset: usize, open: &[usize]) -> Result<(), Fault> {
        let is_blank = text.trim().is_empty();
        let next = self.elements.len();
        let Some((place, element)) = open.last().and_then(|last| Some((*last, self.elements.get_mut(*last)?))) else {
            return if is_blank { Ok(()) } else { Err(Fault::at(self.place_of(offset), "text follows `</OFX>`")) };
        };
        if is_blank && element.value.is_empty() {
            return Ok(());
        }
        // An unknown element that some end tag closes elsewhere may have a value here.
        if element.is_holder && place + 1 == next && !HOLDERS.contains(&element.name.as_ref()) {
            element.is_holder = false;
        }
        if element.is_holder && !is_blank {
            let what =
                format!("`{}` is in `<{}>`, which holds elements", shorten_for_message(text.trim()), element.name);
            return Err(Fault::at(self.place_of(offset), what));
        }
        match element.value.is_empty() {
            true => element.value = text,
            false => element.value.to_mut().push_str(&text),
        }
        Ok(())
    }

    fn take_close(&mut self, name: &str, offset: usize, open: &mut Vec<usize>) -> Result<(), Fault> {
        while let Some(element) = open.last().and_then(|last| self.elements.get(*last)) {
            if element.name == name {
                open.pop();
                return Ok(());
            }
            if element.is_holder {
                let what = format!("`</{}>` is where `</{}>` belongs", shorten_for_message(name), element.name);
                return Err(Fault::at(self.place_of(offset), what));
            }
            open.pop();
        }
        Err(Fault::at(self.place_of(offset), format!("`</{}>` closes nothing", shorten_for_message(name))))
    }
}

/// The names of all elements that have an end tag somewhere.
fn closed_names(text: &str) -> HashSet<String> {
    let after = text.match_indices("</").filter_map(|(at, mark)| text.get(at + mark.len()..));
    let names = after.filter_map(|rest| rest.split(['>', '<']).next());
    names.filter(|name| name.len() <= 64).map(|name| name.trim().to_ascii_uppercase()).collect()
}

/// A name in capitals.
fn name_in_capitals(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        true => Cow::Owned(name.to_ascii_uppercase()),
        false => Cow::Borrowed(name),
    }
}

/// The first token of a text that is not empty, and its length.
fn next_markup_token(text: &str) -> Result<(Token<'_>, usize), &'static str> {
    for (start, end, is_text) in [("<![CDATA[", "]]>", true), ("<!--", "-->", false), ("<?", "?>", false)] {
        if let Some(rest) = text.strip_prefix(start) {
            let (inside, _) = rest.split_once(end).ok_or("what begins here is never closed")?;
            let token = if is_text { Token::Text(Cow::Borrowed(inside)) } else { Token::Nothing };
            return Ok((token, start.len() + inside.len() + end.len()));
        }
    }
    let begins_name = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_tag = text.strip_prefix('<').is_some_and(|rest| begins_name(rest.strip_prefix('/').unwrap_or(rest)));
    if !is_tag {
        // A `<` before a blank or a digit is part of a text.
        let end = text.char_indices().skip(1).find(|(_, letter)| *letter == '<').map_or(text.len(), |(end, _)| end);
        return Ok((Token::Text(replace_entities(text.get(..end).unwrap_or(text))), end));
    }
    let (tag, _) = text.split_once('>').ok_or("the tag that begins here is never closed")?;
    let inside = tag.get(1..).unwrap_or_default();
    if inside.contains('<') {
        return Err("the tag that begins here is not closed before the next; a `<` in a text is written `&lt;`");
    }
    let length = tag.len() + 1;
    if let Some(name) = inside.strip_prefix('/') {
        return Ok((Token::Close { name: name.trim() }, length));
    }
    let closes = inside.ends_with('/');
    let name = inside.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
    Ok((Token::Open { name, closes }, length))
}

/// The text with its entities replaced. An ampersand that begins none is an ampersand.
fn replace_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        whole.push_str(before);
        let end = after.char_indices().take(10).find(|(_, letter)| *letter == ';');
        let entity = end.and_then(|(end, _)| Some((character_of_entity(after.get(..end)?)?, after.get(end + 1..)?)));
        let (letter, after) = entity.unwrap_or(('&', after));
        whole.push(letter);
        rest = after;
    }
    whole.push_str(rest);
    Cow::Owned(whole)
}

fn character_of_entity(name: &str) -> Option<char> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => match name.strip_prefix('#')?.strip_prefix(['x', 'X']) {
            Some(digits) => number(digits, 16),
            None => number(name.strip_prefix('#')?, 10),
        },
    }
}
