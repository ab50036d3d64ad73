//! How deeply an expression is nested, estimated from its tokens before it is parsed. Knows no grammar.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// How deep NOT and brackets stand within each other. At its bound the parser takes a NOT for a name, and complains of
/// what follows.
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
