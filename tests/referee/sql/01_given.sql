-- What the program found by reading narrations, from what it told evidence.py: whose each record is, what stands beside
-- that name, which stream it belongs to, and each stream's beat. Finding them has measures of its own; all that is made
-- of them is computed here.
CREATE TABLE stream AS
SELECT sid, nth,
       any_value(value) FILTER (what = 'given_credit') = '1' AS is_credit,
       any_value(value) FILTER (what = 'given_monthly') = '1' AS is_monthly,
       any_value(value) FILTER (what = 'given_often') = '1' AS is_often,
       any_value(value) FILTER (what = 'given_live') = '1' AS is_live,
       (any_value(value) FILTER (what = 'given_missed'))::BIGINT AS missed,
       (any_value(value) FILTER (what = 'given_month_amount'))::BIGINT AS month_amount,
       (any_value(value) FILTER (what = 'given_amount'))::BIGINT AS amount,
       (any_value(value) FILTER (what = 'given_regularity'))::DOUBLE AS regularity,
       (any_value(value) FILTER (what = 'given_next_date'))::DATE AS next_date
FROM given WHERE value IS NOT NULL GROUP BY ALL;

-- Each record that is told of: its party and its stream, unknown where it has none, and what its narration tells
-- besides.
CREATE TABLE reading AS
SELECT sid, id,
       any_value(party) FILTER (what = 'given_party') AS party,
       any_value(nth) FILTER (what = 'given_stream') AS nth,
       bool_or(what = 'given_somebody') AS names_somebody, bool_or(what = 'given_legal_form') AS has_legal_form,
       bool_or(what = 'given_repeat') AS repeats_payment, bool_or(what = 'given_broken_name') AS has_broken_name,
       bool_or(what = 'given_oneself') AS names_oneself
FROM given WHERE id IS NOT NULL GROUP BY ALL;
