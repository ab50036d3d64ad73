//! Declares the lists of keys, and reads their files. No message repeats a key.

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::symbols::key_lists::KeyLists;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::key_list::{KeyList, ListReading};
use crate::rules::syntax::file::{RuleFile, WrittenList};
use crate::rules::syntax::identifier::{is_name, snake_case};
use crate::rules::syntax::list_csv::{ListFault, ListPart, read_list_csv};
use crate::rules::syntax::source::{Name, Text};
use crate::rules::syntax::uses::{Read, UsedFile};

/// The most bytes of a list's file.
const BYTES_MAX: usize = 256 << 20;

/// Where the keys of lists come from.
pub(in crate::rules) struct ListFiles<'r> {
    pub read: Read<'r>,
    /// The lists that were read. One with the same file and columns is not read again.
    pub known: &'r mut Vec<KeyList>,
}

/// Declares the lists of all files, and adds their files to those that the policy uses.
pub(in crate::rules) fn declare_key_lists(
    lists: &mut KeyLists,
    mistakes: &mut Mistakes,
    files: &[RuleFile],
    from: ListFiles,
    listed: &mut Vec<UsedFile>,
) {
    for written in files.iter().flat_map(|file| &file.lists) {
        let name = &written.name;
        refuse_bad_name(lists, mistakes, name);
        if let Some(first) = lists.note_place(&name.text, name.span) {
            let message = format!("the list `{}` is already defined", name.text);
            let wrong = Diagnostic::error("shadowing", name.span, message).help("give it another name");
            mistakes.push(wrong.elsewhere(first));
            continue;
        }
        let is_same = |known: &&KeyList| Some(&known.path) == written.path.as_ref();
        let known = from.known.iter().filter(is_same).find(|known| known.reading == reading_of(written));
        let list = match known {
            Some(known) => KeyList { name: name.text.clone(), doc: doc_of(written), ..known.clone() },
            None => {
                let Some(list) = read_list(mistakes, written, from.read) else { continue };
                from.known.push(list.clone());
                list
            }
        };
        let file = UsedFile { path: list.path.clone(), digest: list.keys.digest };
        if !listed.contains(&file) {
            listed.push(file);
        }
        lists.add(list);
    }
}

fn refuse_bad_name(lists: &mut KeyLists, mistakes: &mut Mistakes, name: &Name) {
    let own = name.text.rsplit('.').next().unwrap_or_default();
    if is_name(own) {
        return;
    }
    let help = match snake_case(own) {
        Some(better) => format!("call it {better}: lower case letters, digits and _, beginning with a letter"),
        None => "use lower case letters, digits and _, beginning with a letter".to_owned(),
    };
    mistakes.push(Diagnostic::error("bad-name", name.span, format!("`{}` cannot be a name", name.text)).help(help));
    // Expressions ignore case, so declare it in lower case, or each use would be another mistake.
    lists.note_place(&name.text.to_lowercase(), name.span);
}

/// How a list says that its file is read.
fn reading_of(written: &WrittenList) -> ListReading {
    let text = |text: &Option<Text>| text.as_ref().map(|text| text.value().to_owned());
    ListReading { key: text(&written.key), until: text(&written.until), ignores_case: written.ignores_case }
}

fn doc_of(written: &WrittenList) -> String {
    written.doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default()
}

/// The list with its keys; `None` if a mistake was reported.
fn read_list(mistakes: &mut Mistakes, written: &WrittenList, read: Read) -> Option<KeyList> {
    // A path that leads nowhere was reported.
    let (Some(file), Some(path)) = (&written.file, &written.path) else { return None };
    let shown = file.value();
    let mut refuse = |message: String, help: &str| {
        mistakes.push(Diagnostic::error("list", file.span(), message).help(help));
        None
    };
    let ending = shown.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !["csv", "parquet"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        let help = "a list is a table with a key in each row: save it as .csv or .parquet";
        return refuse(format!("`{shown}` is neither CSV nor Parquet by its name"), help);
    }
    let text = match read(path) {
        Ok(text) if text.len() > BYTES_MAX => {
            return refuse(format!("`{shown}` is larger than 256 MB"), "keep only the column of the keys");
        }
        Ok(text) => text,
        Err(why) => {
            let help = if why.contains("UTF-8") { "save it as UTF-8" } else { "the path is relative to this file" };
            return refuse(format!("`{shown}` cannot be read: {why}"), help);
        }
    };
    let reading = reading_of(written);
    match read_list_csv(&text, &reading) {
        Ok((keys, warnings)) => {
            for fault in warnings {
                mistakes.push(diagnostic(written, file, fault, Diagnostic::warning));
            }
            let (name, doc) = (written.name.text.clone(), doc_of(written));
            Some(KeyList { name, path: path.clone(), reading, keys: Arc::new(keys), doc })
        }
        Err(fault) => {
            mistakes.push(diagnostic(written, file, fault, Diagnostic::error));
            None
        }
    }
}

/// What is wrong with a list, at the key of the rule file that it is about: the list itself is never shown.
fn diagnostic(
    written: &WrittenList,
    file: &Text,
    fault: ListFault,
    new: impl FnOnce(&'static str, Span, String) -> Diagnostic,
) -> Diagnostic {
    let of_part = match fault.part {
        ListPart::File => None,
        ListPart::Key => written.key.as_ref(),
        ListPart::Until => written.until.as_ref(),
    };
    let at = of_part.unwrap_or(file);
    let message = format!("`{}`: {}", file.value(), fault.message);
    new("list", at.span(), message).help(fault.help).meant_at(at.content(), at.value(), fault.near)
}
