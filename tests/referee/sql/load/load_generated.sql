-- A table of generated statements. Identifiers ascend with time, so that they order the records of a day.
CREATE OR REPLACE TEMP TABLE raw AS
SELECT *, row_number() OVER (PARTITION BY customer, id) AS copy FROM $table;
INSERT INTO source_record
SELECT $source, customer, row_number() OVER (PARTITION BY customer ORDER BY id), id, trans_date::DATE,
       cleared_date::DATE,
       minor(credit), minor(debit), minor(balance), told("desc"), told(topics)
FROM raw WHERE copy = 1;
INSERT INTO source_repeat SELECT $source, customer FROM raw WHERE copy > 1;
