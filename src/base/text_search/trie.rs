//! A trie of words: one walk finds all words that begin at a position of a text. Knows neither lists nor word
//! boundaries.

/// No node, or no word.
const NONE: u32 = u32::MAX;

/// A byte trie, stored in flat arrays.
#[derive(Clone, Debug)]
pub(super) struct Trie {
    /// By the first byte of a word.
    roots: Vec<u32>,
    nodes: Vec<TrieNode>,
    /// The outgoing bytes of each node, ascending, and the node each leads to.
    bytes: Vec<u8>,
    next: Vec<u32>,
    /// For each root, where every second byte leads. Most walks end there.
    second: Vec<u32>,
    /// The bytes of all words, concatenated, and the end of each word.
    words: Vec<u8>,
    ends: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct TrieNode {
    /// The range of its outgoing bytes.
    from: u32,
    to: u32,
    /// The word that ends here.
    word: u32,
    /// If only one word continues here, that word; the node has no outgoing bytes then.
    only: u32,
}

/// A word and its number.
type Numbered<'w> = (&'w [u8], u32);

impl Trie {
    /// Words must be distinct and not empty; a word is identified by its index.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut sorted: Vec<Numbered> = words.iter().map(AsRef::as_ref).zip(0..).collect();
        sorted.sort_unstable();
        let (nodes, bytes, next, second) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut tree = Self { roots: vec![NONE; 256], nodes, bytes, next, second, words: Vec::new(), ends: Vec::new() };
        for word in words {
            tree.words.extend_from_slice(word.as_ref());
            tree.ends.push(tree.words.len() as u32);
        }
        // Nodes still to be filled, each with its words and its depth.
        let mut open: Vec<(u32, &[Numbered], usize)> = Vec::new();
        for words in sorted.chunk_by(|one, other| one.0.first() == other.0.first()) {
            let Some(first) = words[0].0.first() else { continue };
            tree.roots[usize::from(*first)] = tree.node();
            open.push((tree.roots[usize::from(*first)], words, 1));
        }
        while let Some((node, words, depth)) = open.pop() {
            // The words are sorted, so a word that ends here comes first.
            let (ends, longer) = words.split_at(usize::from(words[0].0.len() == depth));
            let from = tree.bytes.len() as u32;
            let (only, longer) = match longer {
                [(_, only)] => (*only, &longer[..0]),
                several => (NONE, several),
            };
            for words in longer.chunk_by(|one, other| one.0[depth] == other.0[depth]) {
                let next = tree.node();
                tree.bytes.push(words[0].0[depth]);
                tree.next.push(next);
                open.push((next, words, depth + 1));
            }
            let word = ends.first().map_or(NONE, |(_, word)| *word);
            tree.nodes[node as usize] = TrieNode { from, to: tree.bytes.len() as u32, word, only };
        }
        tree.second = vec![NONE; 256 * tree.roots.iter().filter(|root| **root != NONE).count()];
        for (root, second) in tree.second.chunks_exact_mut(256).enumerate() {
            let ways = tree.nodes[root].from as usize..tree.nodes[root].to as usize;
            let ways = tree.bytes[ways.clone()].iter().zip(&tree.next[ways]);
            ways.for_each(|(byte, next)| second[usize::from(*byte)] = *next);
        }
        tree
    }

    #[inline]
    fn word(&self, word: usize) -> &[u8] {
        let from = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[from as usize..self.ends[word] as usize]
    }

    fn node(&mut self) -> u32 {
        self.nodes.push(TrieNode { from: 0, to: 0, word: NONE, only: NONE });
        self.nodes.len() as u32 - 1
    }

    /// Calls `take` with the index and length of every word that `text` starts with, ignoring ASCII case.
    #[inline]
    pub(super) fn walk(&self, text: &[u8], mut take: impl FnMut(usize, usize)) {
        let Some((first, rest)) = text.split_first() else { return };
        let mut node = self.roots[usize::from(first.to_ascii_lowercase())];
        for (length, byte) in (1..).zip(rest.iter().map(Some).chain([None])) {
            let Some(TrieNode { from, to, word, only }) = self.nodes.get(node as usize) else { return };
            if *word != NONE {
                take(*word as usize, length);
            }
            if *only != NONE {
                let word = self.word(*only as usize);
                if text.get(..word.len()).is_some_and(|text| text[length..].eq_ignore_ascii_case(&word[length..])) {
                    take(*only as usize, word.len());
                }
                return;
            }
            let (Some(byte), ways) = (byte, *from as usize..*to as usize) else { return };
            let byte = byte.to_ascii_lowercase();
            node = match self.second.get((node as usize) << 8 | usize::from(byte)) {
                Some(next) => *next,
                None => {
                    let way = self.bytes[ways.clone()].iter().position(|known| *known == byte);
                    way.map_or(NONE, |way| self.next[ways.start + way])
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Trie;

    #[test]
    fn every_word_that_begins_there_is_found() {
        let words = ["sal", "salary", "a", "b", "sal for", "ọlá", "salar", "/sal/"];
        let letters = Trie::new(&words);
        for text in ["salary may", "SALARY", "sal FOR may", "alb", "ọlá", "b", "", "sa", "/SAL/x", "salar", "x"] {
            let mut found = Vec::new();
            letters.walk(text.as_bytes(), |word, length| found.push((word, length)));
            let lower = text.to_lowercase();
            let begins = |word: &&str| lower.starts_with(*word);
            let mut expected: Vec<(usize, usize)> =
                words.iter().enumerate().filter(|(_, word)| begins(word)).map(|(at, word)| (at, word.len())).collect();
            expected.sort_by_key(|(_, length)| *length);
            assert_eq!(found, expected, "{text}");
        }
        Trie::new(&[""; 0]).walk(b"x", |_, _| panic!("there is no word"));
    }

    #[test]
    fn random_words_are_found_as_each_alone_would_be() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut draw = |letters: &[u8], most: u64| {
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            (0..next() % most).map(|_| letters[next() as usize % letters.len()]).collect::<Vec<u8>>()
        };
        for _ in 0..500 {
            let mut words: Vec<Vec<u8>> = (0..30).map(|_| draw(b"abc/\xc3\xa1", 6)).collect();
            words.sort();
            words.dedup();
            words.retain(|word| !word.is_empty());
            let letters = Trie::new(&words);
            for _ in 0..20 {
                let text = draw(b"abcABC/\xc3\xa1x", 9);
                let mut found = Vec::new();
                letters.walk(&text, |word, length| found.push((length, word)));
                let lower = text.to_ascii_lowercase();
                let begins = words.iter().enumerate().filter(|(_, word)| lower.starts_with(word));
                let mut expected: Vec<(usize, usize)> = begins.map(|(at, word)| (word.len(), at)).collect();
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
        }
    }
}
