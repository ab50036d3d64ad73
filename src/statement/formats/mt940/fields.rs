//! The messages of a file, and the fields of each.

use crate::statement::formats::Fault;
use crate::statement::formats::text_lines::{line_place, numbered_lines, shorten_for_message};

/// The fields of MT940 and MT942. `NS` is for what SWIFT does not define.
const TAGS: [&str; 20] = [
    "20", "21", "25", "25P", "28", "28C", "60F", "60M", "61", "86", "62F", "62M", "64", "65", "90D", "90C", "13",
    "13D", "34F", "NS",
];

/// The fields whose text may have more than one line.
const LONG_TAGS: [&str; 5] = ["25P", "61", "86", "NS", "25"];

/// A field: `:61:` and its text.
#[derive(Debug)]
pub(super) struct MessageField<'t> {
    /// From 1.
    pub(super) line: u32,
    pub(super) tag: &'static str,
    /// The text after the tag.
    pub(super) text: &'t str,
    /// The lines after it.
    pub(super) more: Vec<&'t str>,
}

/// A message, from `:20:` on.
#[derive(Debug)]
pub(super) struct Message<'t> {
    /// From 1.
    pub(super) line: u32,
    pub(super) fields: Vec<MessageField<'t>>,
}

/// The messages of a file. Between messages a bank may write lines of its own, but no fields.
pub(super) fn split_into_messages(text: &str) -> Result<Vec<Message<'_>>, Fault> {
    let (mut messages, mut open) = (Vec::new(), false);
    for (number, line) in numbered_lines(text) {
        let line = line.trim_matches(|letter: char| letter.is_control() && letter != '\t');
        let line = match outer_blocks(line) {
            Blocks::None => line,
            Blocks::End => {
                open = false;
                continue;
            }
            Blocks::Start { kind, text } => {
                open = false;
                check_kind(kind, number)?;
                text
            }
        };
        take_line(line, number, &mut messages, &mut open)?;
    }
    if messages.is_empty() {
        return Err(Fault::new("no `:20:` begins a line, so this is no MT940 or MT942"));
    }
    Ok(messages)
}

fn take_line<'t>(line: &'t str, number: u32, messages: &mut Vec<Message<'t>>, open: &mut bool) -> Result<(), Fault> {
    let message = messages.last_mut().filter(|_| *open);
    match split_field_tag(line) {
        Some(("20", text)) => {
            *open = true;
            let field = MessageField { line: number, tag: "20", text, more: Vec::new() };
            messages.push(Message { line: number, fields: vec![field] });
        }
        Some((tag, text)) => {
            let Some(message) = message else { return check_field_outside(tag, number) };
            match (TAGS.iter().find(|known| **known == tag), message.fields.last_mut()) {
                (Some(tag), _) => message.fields.push(MessageField { line: number, tag, text, more: Vec::new() }),
                (None, Some(last)) if cuts_a_time(last, line) => last.more.push(line),
                (None, _) => {
                    let what = format!("`:{tag}:` is no field of MT940 or MT942");
                    return Err(Fault::at(line_place(number), what));
                }
            }
        }
        None => {
            let Some(field) = message.and_then(|message| message.fields.last_mut()) else { return Ok(()) };
            if !LONG_TAGS.contains(&field.tag) && !line.trim().is_empty() {
                let what = format!("`{}` follows `:{}:`, which has one line", shorten_for_message(line), field.tag);
                return Err(Fault::at(line_place(number), what));
            }
            if line.starts_with(':') {
                let what = "the line begins with a colon, but with no field; a text may not begin so";
                return Err(Fault::at(line_place(number), what));
            }
            field.more.push(line);
        }
    }
    Ok(())
}

/// A field between messages. `:940:` before a message names its type.
fn check_field_outside(tag: &str, number: u32) -> Result<(), Fault> {
    if tag.len() == 3 && tag.bytes().all(|byte| byte.is_ascii_digit()) {
        return check_kind(tag, number);
    }
    Err(Fault::at(line_place(number), format!("`:{tag}:` is in no message; a message begins with `:20:`")))
}

fn check_kind(kind: &str, number: u32) -> Result<(), Fault> {
    match kind {
        "940" | "942" | "" => Ok(()),
        _ => Err(Fault::at(line_place(number), format!("message type `{kind}` is not read; MT940 and MT942 are"))),
    }
}

/// The tag that begins a line, and the text after it: two or three digits or letters between colons.
fn split_field_tag(line: &str) -> Option<(&str, &str)> {
    let (tag, text) = line.strip_prefix(':')?.split_once(':')?;
    let is_tag = (2..=3).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_tag.then_some((tag, text))
}

/// Whether a line that looks like a field is the rest of a time that the width of the lines cut: `..T13` and `:12:11`.
fn cuts_a_time(last: &MessageField<'_>, line: &str) -> bool {
    let before = last.more.last().copied().unwrap_or(last.text).as_bytes();
    let is_hour = matches!(before, [.., b'T', tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit());
    let is_rest = matches!(line.as_bytes(), [b':', a, b, b':', c, d, ..]
        if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()));
    last.tag == "86" && is_hour && is_rest
}

/// What a line says of SWIFT's outer blocks.
enum Blocks<'t> {
    /// Nothing.
    None,
    /// `-`, the end of a message.
    End,
    /// `{1:..}{2:O940..}{4:`, with what follows on the line.
    Start { kind: &'t str, text: &'t str },
}

fn outer_blocks(line: &str) -> Blocks<'_> {
    let is_end = line == "-" || line == "-XXX" || line.starts_with("-}");
    if !line.starts_with("{1:") && !line.starts_with("{2:") && !line.starts_with("{4:") && !line.contains("}{1:") {
        return if is_end { Blocks::End } else { Blocks::None };
    }
    let kind = line.split_once("{2:").map_or("", |(_, block)| block.trim_start_matches(['I', 'O']));
    let text = line.split_once("{4:").map_or("", |(_, text)| text);
    Blocks::Start { kind: kind.get(..3).unwrap_or(kind), text }
}
