//! Estimates from its tokens how deeply an expression is nested, before it is parsed.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The nesting of NOT and brackets. At its limit the parser would take NOT for a name and report what follows it.
pub(in crate::rules) fn negated_to(tokens: &[TokenWithSpan]) -> usize {
    let (mut deepest, mut depth, mut run) = (0, 0usize, 0);
    let mut opened = Vec::new();
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::Word(word) if word.keyword == Keyword::NOT => run += 1,
            Token::LParen => {
                opened.push(run + 1);
                depth += run + 1;
                run = 0;
            }
            Token::RParen => {
                depth -= opened.pop().unwrap_or(0);
                run = 0;
            }
            _ => run = 0,
        }
        deepest = deepest.max(depth + run);
    }
    deepest
}
