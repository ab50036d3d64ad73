-- Statements of hand-written narrations: of every bank one with its narrations as they are, one with their sides
-- turned, and one in which each of them is on both sides. Each narration stands in four months, so that some recur and
-- parties have several records. Identifiers ascend with time.
COPY (
    WITH said AS (
        SELECT row_number() OVER () AS line, market || ' ' || institution AS bank, side = 'credit' AS is_credit,
               narration
        FROM $table
    ), placed AS (
        SELECT bank || ' ' || variant.name AS customer, line, narration,
               (DATE '2026-03-01' + to_months(month::INTEGER) + to_days((line * 7 % 28)::INTEGER))::DATE AS trans_date,
               CASE variant.name WHEN 'as written' THEN is_credit WHEN 'turned' THEN NOT is_credit
                   ELSE month % 2 = line % 2 END AS is_credit,
               9000 + 250 * (line % 37) + CASE WHEN line % 3 = 0 THEN 100 * month ELSE 0 END AS amount
        FROM said CROSS JOIN (SELECT unnest(range(4)) AS month)
        CROSS JOIN (SELECT unnest(['as written', 'turned', 'both sides']) AS name) variant
    )
    SELECT customer,
           'n' || lpad((row_number() OVER (PARTITION BY customer ORDER BY trans_date, line))::VARCHAR, 6, '0') AS id,
           trans_date, NULL AS cleared_date, CASE WHEN is_credit THEN amount END AS credit,
           CASE WHEN NOT is_credit THEN amount END AS debit, NULL AS balance, narration AS "desc", NULL AS topics
    FROM placed ORDER BY customer, id
) TO '$out' (FORMAT csv, HEADER true);
