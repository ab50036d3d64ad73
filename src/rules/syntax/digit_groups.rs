//! Numbers with `_` between digits, as in `50_000`: TOML reads them so, and so do cells. The tokenizer makes a number
//! and a name of them.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Joins what follows a number without a blank, if it is groups of digits after `_`.
pub(super) fn join_digit_groups(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut joined: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    // Decimals after a group are a token of their own, too.
    let mut ends_with_group = false;
    for token in tokens {
        let is_next_to = joined.last().is_some_and(|last| last.span.end == token.span.start);
        let more = match (joined.last().map(|last| &last.token), &token.token) {
            (Some(Token::Number(..)), Token::Word(word)) if is_next_to && word.quote_style.is_none() => {
                digits_of_groups(&word.value)
            }
            (Some(Token::Number(..)), Token::Number(decimals, false)) if is_next_to && ends_with_group => {
                decimals.starts_with('.').then(|| decimals.clone())
            }
            _ => None,
        };
        ends_with_group = more.is_some();
        match (more, joined.last_mut()) {
            (Some(more), Some(TokenWithSpan { token: Token::Number(digits, false), span })) => {
                digits.push_str(&more);
                span.end = token.span.end;
            }
            _ => joined.push(token),
        }
    }
    joined
}

/// The digits of `_000_500`; `None` if it is something else.
fn digits_of_groups(word: &str) -> Option<String> {
    let mut groups = word.strip_prefix('_')?.split('_');
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    groups.all(is_digits).then(|| word.replace('_', ""))
}
