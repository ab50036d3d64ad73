//! Paths of requests and the templates from the settings that they match. Knows nothing of endpoints.

/// The segments of a path, percent-decoded; `None` if it does not begin with a slash, or its bytes are not UTF-8.
#[doc(hidden)]
pub fn path_segments(path: &str) -> Option<Vec<String>> {
    path.strip_prefix('/')?.split('/').map(percent_decode_segment).collect()
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

/// A percent-decoded segment; `None` if the bytes are not UTF-8.
fn percent_decode_segment(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).ok()
}
