//! Parquet with page checksums: one flipped bit never gives another result.

use std::path::{Path, PathBuf};

use lendwright::statement::{Columns, read_parquet};

use crate::statement::{digests, lagos};

fn case() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/41-parquet-checksums");
    if !folder.exists() {
        println!("SKIPPED: there is no Parquet file with checksums; `../shared/cases` is missing");
        return None;
    }
    Some(folder)
}

/// The content with the statements' digests; or the error.
fn read(bytes: Vec<u8>) -> Result<Vec<String>, String> {
    let read = read_parquet(bytes, "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())?;
    Ok(digests(&read).iter().map(ToString::to_string).collect())
}

#[test]
fn a_flipped_bit_is_found() {
    let Some(folder) = case() else { return };
    let changed = read(std::fs::read(folder.join("changed1.parquet")).unwrap());
    assert!(changed.as_ref().is_err_and(|wrong| wrong.contains("checksum")), "{changed:?}");
    let whole = std::fs::read(folder.join("crc.parquet")).unwrap();
    let known = read(whole.clone()).expect("a whole file");
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let pages = whole.len() - 8 - footer;
    let (mut state, mut found, mut in_footer) = (1_u64, 0, 0);
    for _ in 0..1_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = (state >> 16) as usize % (whole.len() * 8);
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let answer = read(flipped);
        let is_other = answer.as_ref().is_ok_and(|answer| *answer != known);
        if bit / 8 < pages {
            assert!(!is_other, "bit {bit}: another answer");
            found += usize::from(answer.is_err());
        } else {
            // The footer, with the names and types, has no checksum of its own.
            in_footer += usize::from(is_other);
        }
    }
    println!("{found} flips found in the pages; {in_footer} other answers by flips in the footer");
    assert!(found > 100, "{found}");
}
