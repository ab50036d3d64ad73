-- Balances at the end of calendar days, from the first record's to the last's; opening and closing ones. Our readings:
-- windows of days look back from as_of but end with the last record; a fall below 0 is seen between a record and the
-- one just before, both with a balance.
CREATE TABLE m_balances AS
WITH ends AS (
    SELECT sid, arg_min(balance - credit + debit, n) FILTER (balance IS NOT NULL) AS opening,
           arg_max(balance, n) FILTER (balance IS NOT NULL) AS closing,
           coalesce(sum(debit) FILTER (last_90), 0) AS out90
    FROM tx GROUP BY sid
), falls AS (
    SELECT sid, count(*) FILTER (balance < 0 AND before >= 0) AS falls
    FROM (SELECT sid, balance, lag(balance) OVER (PARTITION BY sid ORDER BY n) AS before FROM tx) GROUP BY sid
), days AS (
    SELECT sid, ratio(sum(eod), count(eod)) AS mean, quantile_cont(eod, 0.5) AS median, min(eod) AS least,
           max(eod) AS greatest,
           quantile_cont(eod, 0.1) AS p10,
           ratio(sum(eod) FILTER (day > as_of - 30), count(eod) FILTER (day > as_of - 30)) AS mean30,
           ratio(sum(eod) FILTER (day > as_of - 90), count(eod) FILTER (day > as_of - 90)) AS mean90,
           ratio(sum(eod) FILTER (day(day) = 1), count(eod) FILTER (day(day) = 1)) AS on1,
           ratio(sum(eod) FILTER (day(day) = 5), count(eod) FILTER (day(day) = 5)) AS on5,
           ratio(sum(eod) FILTER (day(day) = 10), count(eod) FILTER (day(day) = 10)) AS on10,
           ratio(sum(eod) FILTER (day(day) = 15), count(eod) FILTER (day(day) = 15)) AS on15,
           ratio(sum(eod) FILTER (day(day) = 20), count(eod) FILTER (day(day) = 20)) AS on20,
           ratio(sum(eod) FILTER (day(day) = 25), count(eod) FILTER (day(day) = 25)) AS on25,
           count(*) FILTER (eod < parameter_of(sid, 'low_balance')) AS low, count(*) FILTER (eod = 0) AS zero,
           count(*) FILTER (eod < 0) AS negative
    FROM day GROUP BY sid
)
SELECT s.sid, e.opening AS opening_balance, e.closing AS closing_balance,
       d.mean AS eod_balance_mean, d.median AS eod_balance_median, d.least AS eod_balance_min,
       d.greatest AS eod_balance_max, d.p10 AS eod_balance_p10,
       d.mean30 AS eod_balance_mean_30d, d.mean90 AS eod_balance_mean_90d,
       d.on1 AS balance_on_1, d.on5 AS balance_on_5, d.on10 AS balance_on_10, d.on15 AS balance_on_15,
       d.on20 AS balance_on_20, d.on25 AS balance_on_25,
       d.low AS low_balance_days, d.zero AS zero_balance_days, d.negative AS negative_balance_days,
       CASE WHEN s.has_balance THEN f.falls END AS overdraft_count,
       CASE WHEN s.has_debit THEN ratio(e.closing, e.out90 / 90) END AS buffer_days
FROM span s LEFT JOIN ends e USING (sid) LEFT JOIN falls f USING (sid) LEFT JOIN days d USING (sid);
