-- Empty tables that the loaders and compare.py fill; 01_tables.sql says what they hold.
CREATE TABLE source_record (
    source VARCHAR, customer VARCHAR, place BIGINT, id VARCHAR, trans_date DATE, cleared_date DATE,
    credit BIGINT, debit BIGINT, balance BIGINT, narration VARCHAR, topics VARCHAR);
CREATE TABLE source_repeat (source VARCHAR, customer VARCHAR);
CREATE TABLE asked (sid VARCHAR, source VARCHAR, run VARCHAR, customer VARCHAR, as_of DATE, names_debit BOOLEAN,
    is_given BOOLEAN);
CREATE TABLE word_list (list VARCHAR, word VARCHAR);
CREATE TABLE parameter (source VARCHAR, name VARCHAR, value DOUBLE);
-- What the program says of parties and streams (evidence.py): taken as given, all that rests on it is not.
CREATE TABLE given (sid VARCHAR, what VARCHAR, nth INTEGER, party VARCHAR, value VARCHAR, id VARCHAR);

-- Money as text or number, to minor units, by its decimal digits.
CREATE MACRO minor(amount) AS (amount::DECIMAL(20, 2) * 100)::BIGINT;
-- What stands for a text that is missing: nothing, blanks, N/A.
CREATE MACRO told(text) AS CASE WHEN trim(coalesce(text, '')) IN ('', 'N/A') THEN '' ELSE text END;
