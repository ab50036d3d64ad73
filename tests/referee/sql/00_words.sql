-- Which lists a text mentions, and of each list the word that it mentions first; of those that begin at one place the
-- longest.
CREATE TABLE text_list AS
SELECT narration, topics, list(DISTINCT list) AS lists FROM mention JOIN word_list USING (word) GROUP BY ALL;
CREATE TABLE text_word AS
SELECT narration, topics, list, arg_min(word, (place, -length(word))) AS word FROM mention JOIN word_list USING (word)
WHERE list IN ('lenders', 'month_names') GROUP BY ALL;
-- Of which lists a party's name holds a word.
CREATE TABLE party_list AS SELECT party, list(DISTINCT list) AS lists FROM naming GROUP BY ALL;
