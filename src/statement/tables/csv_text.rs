//! The text of a CSV file: its bytes decoded as they come, comment lines left out, and the last part kept, so that a
//! row's source text is available.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::statement::formats::layout::Encoding;
use crate::statement::tables::csv_quotes::Quoting;

/// How many bytes are read at once, and how many must be obsolete before they are discarded.
pub(crate) const CHUNK: usize = 1 << 16;

const HOW_UTF8: &str = "if the file is written in Windows-1252, say so in a columns file: [file] encoding = \
    \"windows-1252\"";

/// The decoded text of a file.
pub(crate) struct CsvText<'r> {
    inner: &'r mut dyn Read,
    coding: Coding,
    /// The bytes that are read and not yet decoded are the first `filled` of these.
    raw: Vec<u8>,
    filled: usize,
    /// How many bytes and lines are decoded.
    decoded: u64,
    lines: u64,
    has_ended: bool,
    /// The decoded text, from the offset `from` on.
    kept: Vec<u8>,
    from: u64,
    /// How many of the kept bytes were read from here.
    served: usize,
    comments: Option<Comments>,
    /// The most bytes that one row may have.
    row_bytes_max: usize,
}

enum Coding {
    Utf8,
    Other { decoder: Decoder, name: &'static str },
}

/// Leaves out the lines that begin with a mark, unless they are within a quoted text.
struct Comments {
    mark: Vec<u8>,
    quoting: Quoting,
    /// The beginning of a line whose end is not read yet.
    pending: Vec<u8>,
}

impl<'r> CsvText<'r> {
    /// Begins a file. A byte order mark decides the encoding and must not contradict the declared one.
    pub(crate) fn open(
        inner: &'r mut dyn Read,
        declared: Option<Encoding>,
        row_bytes_max: usize,
    ) -> io::Result<CsvText<'r>> {
        let mut text = CsvText {
            inner,
            coding: Coding::Utf8,
            raw: Vec::new(),
            filled: 0,
            decoded: 0,
            lines: 0,
            has_ended: false,
            kept: Vec::new(),
            from: 0,
            served: 0,
            comments: None,
            row_bytes_max,
        };
        while text.filled < 3 && text.read_raw()? {}
        let begin = text.raw.get(..text.filled.min(3)).unwrap_or_default();
        let (encoding, mark) = encoding_of(begin, declared)?;
        text.decoded = mark as u64;
        text.raw.copy_within(mark..text.filled, 0);
        text.filled -= mark;
        text.coding = match encoding {
            Encoding::Utf8 => Coding::Utf8,
            Encoding::Windows1252 => {
                Coding::Other { decoder: WINDOWS_1252.new_decoder_without_bom_handling(), name: "Windows-1252" }
            }
            Encoding::Utf16Be => Coding::Other { decoder: UTF_16BE.new_decoder_without_bom_handling(), name: "UTF-16" },
            Encoding::Utf16 | Encoding::Utf16Le => {
                Coding::Other { decoder: UTF_16LE.new_decoder_without_bom_handling(), name: "UTF-16" }
            }
        };
        text.decode()?;
        Ok(text)
    }

    /// Reads more bytes into `raw`. False at the end of the file.
    fn read_raw(&mut self) -> io::Result<bool> {
        self.raw.resize(CHUNK + 8, 0);
        let into = self.raw.get_mut(self.filled..).unwrap_or_default();
        let read = loop {
            match self.inner.read(into) {
                Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.filled += read;
        self.has_ended |= read == 0;
        Ok(read > 0)
    }

    /// Decodes what was read, except for a character that is cut.
    fn decode(&mut self) -> io::Result<()> {
        let bytes = self.raw.get(..self.filled).unwrap_or_default();
        let into = match &mut self.comments {
            None => &mut self.kept,
            Some(comments) => &mut comments.pending,
        };
        let before = into.len();
        let taken = match &mut self.coding {
            Coding::Utf8 => match simdutf8::compat::from_utf8(bytes) {
                Ok(_) => {
                    into.extend_from_slice(bytes);
                    bytes.len()
                }
                Err(wrong) => {
                    let valid = wrong.valid_up_to();
                    into.extend_from_slice(bytes.get(..valid).unwrap_or_default());
                    if wrong.error_len().is_some() || self.has_ended {
                        let lines = self.lines + count_newlines(into.get(before..).unwrap_or_default());
                        return Err(malformed_encoding_error("UTF-8", lines, self.decoded + valid as u64, HOW_UTF8));
                    }
                    valid
                }
            },
            Coding::Other { decoder, name } => {
                decode_other(decoder, bytes, into, self.has_ended).map_err(|at| {
                    let lines = self.lines + count_newlines(into.get(before..).unwrap_or_default());
                    malformed_encoding_error(
                        name,
                        lines,
                        self.decoded + at as u64,
                        "[file] declares another encoding than it has",
                    )
                })?;
                bytes.len()
            }
        };
        self.lines += count_newlines(into.get(before..).unwrap_or_default());
        self.decoded += taken as u64;
        self.raw.copy_within(taken..self.filled, 0);
        self.filled -= taken;
        if let Some(comments) = &mut self.comments {
            comments.pass_on(&mut self.kept, self.has_ended);
        }
        Ok(())
    }

    /// Reads and decodes more. False at the end of the file.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        let before = self.kept.len();
        while !self.has_ended {
            self.read_raw()?;
            self.decode()?;
            if self.kept.len() > before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The text that is decoded and not yet read. It ends with a whole character.
    pub(crate) fn ahead(&self) -> &[u8] {
        self.kept.get(self.served..).unwrap_or_default()
    }

    /// Passes over text, which is no part of the table. Offsets count from there.
    pub(crate) fn pass_over(&mut self, bytes: usize) {
        self.kept.drain(..bytes.min(self.kept.len()));
        (self.served, self.from) = (0, 0);
    }

    /// Leaves out the lines that begin with this mark from here on.
    pub(crate) fn leave_out(&mut self, mark: &str, delimiter: u8) {
        let pending = std::mem::take(&mut self.kept);
        let mut comments = Comments { mark: mark.into(), quoting: Quoting::new(delimiter), pending };
        comments.pass_on(&mut self.kept, self.has_ended);
        self.comments = Some(comments);
        (self.served, self.from) = (0, 0);
    }

    /// The text between two places.
    pub(crate) fn between(&self, from: u64, to: u64) -> &str {
        let at = |place: u64| usize::try_from(place.saturating_sub(self.from)).unwrap_or(usize::MAX);
        let bytes = self.kept.get(at(from)..at(to).min(self.kept.len())).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Discards the text before this place, once there is enough of it.
    pub(crate) fn forget(&mut self, place: u64) {
        let gone = usize::try_from(place.saturating_sub(self.from)).unwrap_or_default().min(self.served);
        if gone >= CHUNK {
            self.kept.drain(..gone);
            self.from += gone as u64;
            self.served -= gone;
        }
    }
}

impl Read for CsvText<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.kept.len() > self.row_bytes_max {
            return Err(io::Error::other("a row is longer than any row of a table; is a quote not closed?"));
        }
        if self.served >= self.kept.len() && !self.fill()? {
            return Ok(0);
        }
        let ahead = self.kept.get(self.served..).unwrap_or_default();
        let length = ahead.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..length), ahead.get(..length)) {
            to.copy_from_slice(from);
        }
        self.served += length;
        Ok(length)
    }
}

impl Comments {
    /// Moves whole lines from `pending`, except for comments.
    fn pass_on(&mut self, into: &mut Vec<u8>, has_ended: bool) {
        let mut from = 0;
        loop {
            let rest = self.pending.get(from..).unwrap_or_default();
            let line = match memchr::memchr2(b'\n', b'\r', rest) {
                Some(end) => rest.get(..=end).unwrap_or_default(),
                None if has_ended => rest,
                None => break,
            };
            if line.is_empty() {
                break;
            }
            if self.quoting.is_open() || !line.starts_with(&self.mark) {
                self.quoting.pass(line);
                into.extend_from_slice(line);
            }
            from += line.len();
        }
        self.pending.drain(..from);
    }
}

/// The encoding of a file that begins with these bytes, and the length of its byte order mark.
fn encoding_of(begin: &[u8], declared: Option<Encoding>) -> io::Result<(Encoding, usize)> {
    let marked = match begin {
        [0xef, 0xbb, 0xbf, ..] => Some((Encoding::Utf8, 3)),
        [0xff, 0xfe, ..] => Some((Encoding::Utf16Le, 2)),
        [0xfe, 0xff, ..] => Some((Encoding::Utf16Be, 2)),
        _ => None,
    };
    match (marked, declared) {
        (Some(marked), None) => Ok(marked),
        (Some(marked), Some(declared)) if marked.0 == declared => Ok(marked),
        (Some(marked @ (Encoding::Utf16Le | Encoding::Utf16Be, _)), Some(Encoding::Utf16)) => Ok(marked),
        (Some((marked, _)), Some(_)) => {
            let name = if marked == Encoding::Utf8 { "utf-8" } else { "utf-16" };
            Err(io::Error::other(format!(
                "the file begins with the mark of {}, but [file] declares another encoding; declare encoding = \
                 \"{name}\", or none",
                name.to_ascii_uppercase()
            )))
        }
        (None, Some(Encoding::Utf16)) => match begin {
            // The header is in letters that take one byte of two.
            [first, 0, ..] if *first != 0 => Ok((Encoding::Utf16Le, 0)),
            [0, second, ..] if *second != 0 => Ok((Encoding::Utf16Be, 0)),
            [] => Ok((Encoding::Utf16Le, 0)),
            _ => Err(io::Error::other(
                "[file] declares encoding = \"utf-16\", but the file does not begin as UTF-16; declare the encoding \
                 that it has, or utf-16le or utf-16be",
            )),
        },
        (None, declared) => Ok((declared.unwrap_or(Encoding::Utf8), 0)),
    }
}

/// Decodes all bytes. The error is the offset near which they are malformed.
fn decode_other(decoder: &mut Decoder, bytes: &[u8], into: &mut Vec<u8>, has_ended: bool) -> Result<(), usize> {
    let is_windows = decoder.encoding() == WINDOWS_1252;
    if is_windows && let Some(at) = undefined_at(bytes) {
        let _ = decode_other(decoder, bytes.get(..at).unwrap_or_default(), into, false);
        return Err(at);
    }
    let mut taken = 0;
    loop {
        let rest = bytes.get(taken..).unwrap_or_default();
        let start = into.len();
        // The decoder says how much room is always enough; the fallback only costs more rounds.
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(CHUNK);
        into.resize(start + room, 0);
        let target = into.get_mut(start..).unwrap_or_default();
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(rest, target, has_ended);
        into.truncate(start + written);
        taken += read;
        match result {
            DecoderResult::InputEmpty => return Ok(()),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return Err(taken.saturating_sub(1)),
        }
    }
}

/// The place of the first byte that Windows-1252 leaves undefined. The decoder would make control characters of them.
fn undefined_at(bytes: &[u8]) -> Option<usize> {
    let first = memchr::memchr3(0x81, 0x8d, 0x8f, bytes);
    let other = memchr::memchr2(0x90, 0x9d, bytes);
    first.into_iter().chain(other).min()
}

fn count_newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

fn malformed_encoding_error(name: &str, lines: u64, byte: u64, how: &str) -> io::Error {
    io::Error::other(format!("line {}: the bytes from byte {byte} on are not {name}; {how}", lines + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, or as many as are wanted.
    struct Drops<'b>(&'b [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(self.1).min(into.len());
            let (first, rest) = self.0.split_at(length);
            into[..length].copy_from_slice(first);
            self.0 = rest;
            Ok(length)
        }
    }

    fn decoded(bytes: &[u8], declared: Option<Encoding>, comment: Option<&str>) -> Result<String, String> {
        let mut texts = [1, 2, 3, 7, usize::MAX].map(|drop| {
            let mut drops = Drops(bytes, drop);
            let mut text = CsvText::open(&mut drops, declared, 1 << 20).map_err(|wrong| wrong.to_string())?;
            if let Some(mark) = comment {
                text.leave_out(mark, b',');
            }
            let mut all = Vec::new();
            text.read_to_end(&mut all).map_err(|wrong| wrong.to_string())?;
            assert_eq!(text.between(0, u64::MAX).as_bytes(), all);
            Ok(String::from_utf8(all).expect("UTF-8"))
        });
        texts.sort();
        assert_eq!(texts[0], texts[4], "the same however the bytes come");
        texts[0].clone()
    }

    fn utf16(text: &str, is_big: bool, mark: bool) -> Vec<u8> {
        let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn each_encoding_is_decoded() {
        let text = "naïve,₦5,🙂\r\n";
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for (bytes, declared) in [
            (text.as_bytes().to_vec(), None),
            (text.as_bytes().to_vec(), Some(Encoding::Utf8)),
            (marked.clone(), None),
            (marked, Some(Encoding::Utf8)),
            (utf16(text, false, true), None),
            (utf16(text, true, true), None),
            (utf16(text, true, true), Some(Encoding::Utf16)),
            (utf16(text, true, true), Some(Encoding::Utf16Be)),
            (utf16(text, false, false), Some(Encoding::Utf16)),
            (utf16(text, true, false), Some(Encoding::Utf16)),
            (utf16(text, true, false), Some(Encoding::Utf16Be)),
        ] {
            assert_eq!(decoded(&bytes, declared, None).as_deref(), Ok(text), "{declared:?} {bytes:?}");
        }
        let windows = decoded(b"f\xfcr 5 \x80\n", Some(Encoding::Windows1252), None);
        assert_eq!(windows.as_deref(), Ok("für 5 €\n"));
        assert_eq!(decoded(b"", None, None).as_deref(), Ok(""));
        assert_eq!(decoded(b"\xef\xbb\xbf", None, None).as_deref(), Ok(""));
    }

    #[test]
    fn malformed_bytes_are_an_error_with_their_place() {
        let cut = utf16("a\u{1f642}", false, true);
        for (bytes, declared, says) in [
            (&b"a\nf\xfcr\n"[..], None, "line 2: the bytes from byte 3 on are not UTF-8"),
            (b"a\nb\xe2\x82", None, "line 2: the bytes from byte 3 on are not UTF-8"),
            (b"a\n\x81", Some(Encoding::Windows1252), "line 2: the bytes from byte 2 on are not Windows-1252"),
            (&cut[..cut.len() - 2], None, "not UTF-16"),
            (&cut[..cut.len() - 1], None, "not UTF-16"),
            (b"\xff\xfea\0", Some(Encoding::Utf8), "begins with the mark of UTF-16"),
            (b"\xff\xfea\0", Some(Encoding::Utf16Be), "begins with the mark of UTF-16"),
            (b"\xef\xbb\xbfa", Some(Encoding::Windows1252), "begins with the mark of UTF-8"),
            (b"acct", Some(Encoding::Utf16), "does not begin as UTF-16"),
        ] {
            let wrong = decoded(bytes, declared, None).expect_err(says);
            assert!(wrong.contains(says), "{wrong}");
        }
    }

    #[test]
    fn comments_are_left_out_but_not_within_quotes() {
        let text = "# one\na,b\n#two \"\r\nc,\"d\n# not a comment\n\"\n \t# neither\n#\n# last";
        assert_eq!(
            decoded(text.as_bytes(), None, Some("#")).as_deref(),
            Ok("a,b\n\nc,\"d\n# not a comment\n\"\n \t# neither\n")
        );
        assert_eq!(decoded(b"//a\n/b\n//", None, Some("//")).as_deref(), Ok("/b\n"));
    }
}
