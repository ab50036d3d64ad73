//! Paths of requests and the templates from the settings that they match. Knows nothing of endpoints.

use std::borrow::Cow;

use crate::base::percent::{decode_percent_escapes, has_whole_escapes};

/// The segments of a path, percent-decoded. `None` if it does not begin with a slash, if a `%` begins no escape, or if
/// the bytes are not UTF-8.
#[doc(hidden)]
pub fn path_segments(path: &str) -> Option<Vec<String>> {
    let path = path.strip_prefix('/').filter(|path| has_whole_escapes(path))?;
    path.split('/').map(|segment| decode_percent_escapes(segment).map(Cow::into_owned)).collect()
}

/// Matches segments with a template without its leading slash. Returns the values of its varying segments by name.
#[doc(hidden)]
pub fn match_template(template: &str, segments: &[String]) -> Option<Vec<(String, String)>> {
    let parts: Vec<&str> = template.split('/').collect();
    if parts.len() != segments.len() {
        return None;
    }
    let mut values = Vec::new();
    for (part, text) in parts.into_iter().zip(segments) {
        match varying_segment(part) {
            Some((before, name, behind)) => {
                let value = text.strip_prefix(before)?.strip_suffix(behind)?;
                if value.is_empty() {
                    return None;
                }
                values.push((name.to_owned(), value.to_owned()));
            }
            None if part == text => {}
            None => return None,
        }
    }
    Some(values)
}

/// A varying segment: the text before the braces, the name in them, and the text after them.
#[doc(hidden)]
pub fn varying_segment(segment: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = segment.split_once('{')?;
    let (name, behind) = rest.split_once('}')?;
    (!behind.contains('{')).then_some((before, name, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_decoded_or_refused() {
        for (path, segments) in [
            ("/a%2Fb/c%20d", Some(vec!["a/b", "c d"])),
            ("/%e4%B8%ad", Some(vec!["中"])),
            ("/a+b", Some(vec!["a+b"])),
            ("/%+5", None),
            ("/%-5", None),
            ("/%5", None),
            ("/%", None),
            ("/100%/x", None),
            ("/%zz", None),
            ("/%ff", None),
            ("a", None),
        ] {
            let found = path_segments(path);
            assert_eq!(found, segments.map(|list| list.into_iter().map(str::to_owned).collect()), "{path}");
        }
    }
}
