-- The real records: one amount, its side in `type`; `seq` orders the records of a day.
INSERT INTO source_record
SELECT $source, account_id::VARCHAR, seq, trans_id::VARCHAR, strptime('19' || date::VARCHAR, '%Y%m%d')::DATE, NULL,
       CASE WHEN type = 'PRIJEM' THEN minor(amount) END, CASE WHEN type IN ('VYDAJ', 'VYBER') THEN minor(amount) END,
       minor(balance),
       told(concat_ws(' ', nullif(trim(operation), ''), nullif(trim(k_symbol), ''))), ''
FROM $table;
