-- Debits by word list: the total of each list, its share of all debits, and its mean over the months. Our readings: of
-- equal categories the first in the order below is the top one; a record counts in every list that it mentions; a month
-- without such a record counts as zero.
CREATE TABLE spent_total AS
SELECT sid,
       sum(debit) FILTER (list_contains(lists, 'atm')) AS atm_total,
       sum(debit) FILTER (list_contains(lists, 'pos')) AS pos_total,
       sum(debit) FILTER (list_contains(lists, 'ussd')) AS ussd_total,
       sum(debit) FILTER (list_contains(lists, 'web')) AS web_total,
       sum(debit) FILTER (list_contains(lists, 'transfer_out')) AS transfer_out_total,
       sum(debit) FILTER (list_contains(lists, 'international')) AS international_total,
       sum(debit) FILTER (list_contains(lists, 'airtime')) AS airtime_total,
       sum(debit) FILTER (list_contains(lists, 'utilities')) AS utilities_total,
       sum(debit) FILTER (list_contains(lists, 'rent')) AS rent_total,
       sum(debit) FILTER (list_contains(lists, 'groceries')) AS groceries_total,
       sum(debit) FILTER (list_contains(lists, 'transport')) AS transport_total,
       sum(debit) FILTER (list_contains(lists, 'health')) AS health_total,
       sum(debit) FILTER (list_contains(lists, 'education')) AS education_total,
       sum(debit) FILTER (list_contains(lists, 'entertainment')) AS entertainment_total,
       sum(debit) FILTER (list_contains(lists, 'savings')) AS savings_total,
       sum(debit) FILTER (is_bank_charge) AS bank_charges_total,
       sum(debit) FILTER (list_contains(lists, 'insurance')) AS insurance_total
FROM tx GROUP BY sid;

CREATE TABLE m_spending AS
WITH totals AS (
    SELECT s.sid, s.has_debit, coalesce(COLUMNS('^.*_total$'), 0)::BIGINT FROM span s LEFT JOIN spent_total USING (sid)
), whole AS (
    SELECT s.sid, coalesce(sum(t.debit), 0) AS debits,
           sum(t.debit) FILTER (is_betting OR list_has_any(t.lists, ['entertainment', 'travel'])) AS fun,
           coalesce(sum(t.credit), 0) AS credits,
           coalesce(sum(t.credit) FILTER (list_contains(t.lists, 'cash_deposit')), 0) AS cash
    FROM span s LEFT JOIN tx t USING (sid) GROUP BY s.sid
), best AS (
    SELECT sid, max(total) AS most, arg_min(regexp_replace(name, '_total$', ''), (-total, place)) AS category
    FROM (UNPIVOT (SELECT * EXCLUDE (has_debit) FROM totals) ON COLUMNS(* EXCLUDE (sid)) INTO NAME name VALUE total)
    JOIN (SELECT column_name AS name, column_index AS place FROM duckdb_columns()
        WHERE table_name = 'spent_total') USING (name)
    GROUP BY sid
), months AS (
    SELECT sid, count(*) AS n FROM month GROUP BY sid
)
SELECT t.sid,
       CASE WHEN has_debit THEN COLUMNS('^(.*_total)$') END AS '\1',
       CASE WHEN has_debit THEN ratio(COLUMNS('^(.*)_total$'), w.debits) END AS '\1_share',
       CASE WHEN has_debit THEN ratio(COLUMNS('^(.*)_total$'), m.n) END AS '\1_month_mean',
       CASE WHEN has_debit THEN ratio(coalesce(w.fun, 0), w.debits) END AS discretionary_share,
       CASE WHEN has_debit THEN b.most END AS top_category_total,
       CASE WHEN has_debit THEN CASE WHEN b.most > 0 THEN b.category ELSE 'none' END END AS top_category,
       w.cash::BIGINT AS cash_deposit_total, ratio(w.cash, w.credits) AS cash_deposit_share,
       ratio(w.cash, m.n) AS cash_deposit_month_mean
FROM totals t JOIN whole w USING (sid) LEFT JOIN best b USING (sid) LEFT JOIN months m USING (sid);
