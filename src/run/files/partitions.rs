//! The keys in the folder names of a partitioned table: `customer=17/month=2026-03/part.parquet`.

use std::borrow::Cow;

use crate::base::percent::decode_percent_escapes;

/// Null, as a folder name spells it.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The keys and values in a path, outermost folder first.
pub(crate) fn partition_keys(path: &str) -> Vec<(String, String)> {
    let mut folders: Vec<&str> = path.split(['/', '\\']).collect();
    folders.pop();
    let key = |folder: &str| {
        let (key, value) = folder.split_once('=').filter(|(key, _)| !key.is_empty())?;
        let value = if value == NULL { String::new() } else { decode_folder_text(value) };
        Some((decode_folder_text(key), value))
    };
    folders.into_iter().filter_map(key).collect()
}

/// Characters that folder names cannot contain are written as `%` and two hexadecimal digits. Any other `%` is a
/// character of the name, and so is every one in a name that would not be UTF-8.
fn decode_folder_text(text: &str) -> String {
    decode_percent_escapes(text).map_or_else(|| text.to_owned(), Cow::into_owned)
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
            // No escape: a sign is not a digit.
            ("customer=%+5/month=%-5/x.csv", "customer:%+5 month:%-5"),
            ("customer=%E4%b8%AD%2f%zz%4/x.csv", "customer:中/%zz%4"),
            // Not UTF-8.
            ("customer=%ff/x.csv", "customer:%ff"),
        ] {
            assert_eq!(pairs(path), expected, "{path}");
        }
    }
}
