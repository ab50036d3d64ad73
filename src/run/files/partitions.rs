//! The keys in the folder names of a partitioned table: `customer=17/month=2026-03/part.parquet`.

/// Null, as a folder name spells it.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The keys and values in a path, outermost folder first.
pub(crate) fn partition_keys(path: &str) -> Vec<(String, String)> {
    let mut folders: Vec<&str> = path.split(['/', '\\']).collect();
    folders.pop();
    let key = |folder: &str| {
        let (key, value) = folder.split_once('=').filter(|(key, _)| !key.is_empty())?;
        let value = if value == NULL { String::new() } else { percent_decode(value) };
        Some((percent_decode(key), value))
    };
    folders.into_iter().filter_map(key).collect()
}

/// Characters that folder names cannot contain are written as `%` and two hexadecimal digits.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_hold_keys_and_values() {
        let pairs = |path: &str| {
            partition_keys(path).into_iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(" ")
        };
        for (path, expected) in [
            ("a/customer=17/month=2026-03/x.parquet", "customer:17 month:2026-03"),
            ("customer=a%2Fb/x.csv", "customer:a/b"),
            ("customer=__HIVE_DEFAULT_PARTITION__/x.csv", "customer:"),
            ("customer=100%/x=y.csv", "customer:100%"),
            ("=5/a/x.csv", ""),
        ] {
            assert_eq!(pairs(path), expected, "{path}");
        }
    }
}
