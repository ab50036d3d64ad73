//! Words as a tree of their letters: which of many words begin at a place of a text, found by one walk from there. Knows neither lists nor what stands
//! beside a word.

/// Stands for no node and for no word.
const NONE: u32 = u32::MAX;

/// The words, each a way from the root.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    /// By the first byte of a word.
    roots: Vec<u32>,
    nodes: Vec<Node>,
    /// The bytes that lead on from each node, ascending, and where each leads.
    bytes: Vec<u8>,
    next: Vec<u32>,
    /// For each first byte of a word, which are the first nodes, where every second byte leads: most walks end there.
    second: Vec<u32>,
    /// The letters of all words, one after the other, and where those of each end.
    words: Vec<u8>,
    ends: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Its bytes, from and to.
    from: u32,
    to: u32,
    /// The word that ends here.
    word: u32,
    /// Where one word alone goes on: that one. It has no bytes then.
    only: u32,
}

/// A word and its number.
type Numbered<'w> = (&'w [u8], u32);

impl Letters {
    /// Of words none of which is empty or stands there twice; each is known by its number.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut sorted: Vec<Numbered> = words.iter().map(AsRef::as_ref).zip(0..).collect();
        sorted.sort_unstable();
        let (nodes, bytes, next, second) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut tree = Self { roots: vec![NONE; 256], nodes, bytes, next, second, words: Vec::new(), ends: Vec::new() };
        for word in words {
            tree.words.extend_from_slice(word.as_ref());
            tree.ends.push(tree.words.len() as u32);
        }
        // Nodes whose ways on are still to be made, each with its words and how many letters of theirs lead to it.
        let mut open: Vec<(u32, &[Numbered], usize)> = Vec::new();
        for words in sorted.chunk_by(|one, other| one.0.first() == other.0.first()) {
            let Some(first) = words[0].0.first() else { continue };
            tree.roots[usize::from(*first)] = tree.node();
            open.push((tree.roots[usize::from(*first)], words, 1));
        }
        while let Some((node, words, depth)) = open.pop() {
            // The shortest comes first.
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
            tree.nodes[node as usize] = Node { from, to: tree.bytes.len() as u32, word, only };
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
        self.nodes.push(Node { from: 0, to: 0, word: NONE, only: NONE });
        self.nodes.len() as u32 - 1
    }

    /// Hands every word that begins where `text` does, whatever the case of ASCII, to `take`, with its length.
    #[inline]
    pub(super) fn walk(&self, text: &[u8], mut take: impl FnMut(usize, usize)) {
        let Some((first, rest)) = text.split_first() else { return };
        let mut node = self.roots[usize::from(first.to_ascii_lowercase())];
        for (length, byte) in (1..).zip(rest.iter().map(Some).chain([None])) {
            let Some(Node { from, to, word, only }) = self.nodes.get(node as usize) else { return };
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
    use super::Letters;

    #[test]
    fn every_word_that_begins_there_is_found() {
        let words = ["sal", "salary", "a", "b", "sal for", "ọlá", "salar", "/sal/"];
        let letters = Letters::new(&words);
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
        Letters::new(&[""; 0]).walk(b"x", |_, _| panic!("there is no word"));
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
            let letters = Letters::new(&words);
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
