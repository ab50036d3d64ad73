//! Text tests: SQL patterns. Knows no statement.

/// SQL's LIKE: `%` is any run of characters, `_` one character.
pub(crate) struct Pattern {
    parts: Vec<Piece>,
    any_case: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Run,
    One,
    Char(char),
}

impl Pattern {
    pub(crate) fn new(pattern: &str, any_case: bool) -> Self {
        let lowered = if any_case { pattern.to_lowercase() } else { pattern.to_string() };
        let parts = lowered
            .chars()
            .map(|c| match c {
                '%' => Piece::Run,
                '_' => Piece::One,
                c => Piece::Char(c),
            })
            .collect();
        Self { parts, any_case }
    }

    /// Linear in text times pattern: on a mismatch only the last `%` is tried further on.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> =
            if self.any_case { text.to_lowercase().chars().collect() } else { text.chars().collect() };
        let (mut at, mut piece) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while at < text.len() {
            match self.parts.get(piece) {
                Some(Piece::Run) => {
                    retry = Some((piece, at));
                    piece += 1;
                }
                Some(Piece::One) => (at, piece) = (at + 1, piece + 1),
                Some(Piece::Char(c)) if *c == text[at] => (at, piece) = (at + 1, piece + 1),
                _ => match retry {
                    Some((run, from)) => {
                        retry = Some((run, from + 1));
                        (piece, at) = (run + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        self.parts[piece.min(self.parts.len())..].iter().all(|piece| *piece == Piece::Run)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn like_is_sqls() {
        let cases = [
            ("%salary%", "NIP/salary may", true),
            ("salary", "salary may", false),
            ("s_lary", "salary", true),
            ("%", "", true),
            ("_", "", false),
            ("a%b%c", "aXbYbZc", true),
            ("a%b", "ab c", false),
            ("%ab", "aab", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern, false).matches(text), expected, "{pattern} {text}");
        }
        assert!(Pattern::new("%SALARY%", true).matches("my Salary"));
    }
}
