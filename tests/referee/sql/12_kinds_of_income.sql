-- What kind of income a credit is (given, earned, sold), who pays, and what a lender counts of it. Our readings: what
-- is of no known party came through a rail, as what is of a bank, a wallet, a forwarder or an acquirer, of a party of
-- three credits or more of which half are called settlements, or what the bank itself calls one; it is in the whole,
-- and nobody's share. A share of nobody is unknown. Half a month's soft income counts, at most half of the earned one.
CREATE TABLE kind AS
WITH worded AS (
    SELECT *, credit > 0 AND is_sent
                  AND NOT (of_employer OR is_settled OR is_pension OR is_dividend OR of_platform
                           OR list_contains(lists, 'trade'))
               AS may_be_gift,
           list_contains(lists, 'interest') AS is_interest
    FROM pay
), other AS (
    SELECT sid, party, count(*) FILTER (credit > 0) AS credits,
           2 * count(*) FILTER (may_be_gift AND says_gift)
               >= count(*) FILTER (credit > 0) AS gives,
           2 * count(*) FILTER (credit > 0 AND is_settled AND NOT of_platform
                                AND NOT list_contains(lists, 'trade'))
               >= count(*) FILTER (credit > 0) AS settles
    FROM worded WHERE party IS NOT NULL GROUP BY ALL
), given_away AS (
    SELECT w.*, is_income AND may_be_gift AND NOT (is_salary OR is_bonus OR is_cash)
               AND (says_gift
                    OR is_somebody AND coalesce(o.credits >= 3 AND o.gives, FALSE)
                       AND NOT list_contains(lists, 'rental')) AS is_gift,
           is_income AND (is_salary OR is_bonus OR of_platform OR of_state OR is_pension OR is_dividend
               OR list_has_any(lists, ['rental', 'interest'])) AS is_other_income,
           credit > 0 AND (NOT is_somebody OR list_contains(named, 'acquirers')
                           OR coalesce(o.credits >= 3 AND o.settles, FALSE)
                           OR is_settled AND NOT is_sent) AS is_rail
    FROM worded w LEFT JOIN other o ON o.sid = w.sid AND o.party = w.party
), sold AS (
    SELECT *, is_income AND NOT (is_gift OR is_cash OR is_interest)
               AND (is_salary OR is_bonus OR of_employer OR of_platform OR of_state OR is_pension OR is_dividend OR is_settled
                    OR list_has_any(lists, ['rental', 'trade'])) AS is_earned,
           is_income AND NOT (is_other_income OR is_gift OR is_cash)
               AND (is_settled OR list_contains(lists, 'trade') OR of_employer AND usual IS NULL) AS is_sale,
           is_income AND NOT (is_gift OR is_cash OR is_interest) AS is_paid
    FROM given_away
)
SELECT *, is_income AND NOT (is_other_income OR is_gift OR is_sale) AND usual IS NULL AS may_be_sale FROM sold;

CREATE TABLE m_payers AS
WITH party AS (
    SELECT *, row_number() OVER (PARTITION BY sid ORDER BY inflow DESC) AS place
    FROM (SELECT sid, party, sum(credit) AS inflow FROM kind WHERE is_paid AND NOT is_rail GROUP BY ALL)
), paid AS (
    SELECT sid, count(*) AS n, max(inflow) AS top, sum(inflow) FILTER (place <= 3) AS top3,
           sum(inflow::HUGEINT * inflow)::DOUBLE AS squares
    FROM party GROUP BY sid
), bought AS (
    SELECT sid, max(spent) AS top
    FROM (SELECT sid, party, sum(credit) AS spent FROM kind
          WHERE (is_sale OR may_be_sale) AND NOT is_rail AND NOT is_cash GROUP BY ALL)
    GROUP BY sid
), listed AS (
    SELECT sid, sum(credit) FILTER (is_paid) AS total, sum(credit) FILTER (is_paid AND is_rail) AS railed,
           sum(credit) FILTER (is_income) AS income,
           count(DISTINCT party) FILTER (is_paid AND NOT is_rail AND last_90) AS payers90,
           count(DISTINCT party) FILTER (is_sale AND NOT is_rail AND last_90) AS customers90,
           count(DISTINCT trans_date) FILTER (is_sale AND last_90) AS sale_days,
           sum(credit) FILTER (is_sale OR may_be_sale) AS sold,
           sum(credit) FILTER ((is_sale OR may_be_sale) AND NOT is_cash) AS sold_uncashed,
           sum(credit) FILTER (may_be_sale AND is_cash) AS cash,
           coalesce(sum(credit) FILTER (is_sale), 0)
               + 0.5::DOUBLE * coalesce(sum(credit) FILTER (may_be_sale), 0) AS sales,
           sum(credit) FILTER (is_gift) AS gifts, sum(credit) FILTER (is_earned) AS earned
    FROM kind GROUP BY sid
)
SELECT s.sid, coalesce(l.total, 0)::BIGINT AS payer_income, ratio(coalesce(l.railed, 0), l.total) AS rail_share,
       coalesce(p.n, 0) AS source_count, coalesce(l.payers90, 0) AS payer_count_90d,
       ratio(p.top, l.total) AS top_source_share, ratio(p.top3, l.total) AS top3_source_share,
       ratio(p.squares, l.total::DOUBLE * l.total) AS source_hhi,
       ratio(coalesce(l.earned, 0), l.income) AS earned_share, coalesce(l.gifts, 0)::BIGINT AS gift_total,
       coalesce(l.sales, 0)::DOUBLE AS sales_total, coalesce(l.sale_days, 0) AS sales_days_90d,
       coalesce(l.customers90, 0) AS sales_payer_count_90d, ratio(b.top, l.sold_uncashed) AS top_sales_payer_share,
       ratio(coalesce(l.cash, 0), l.sold) AS sales_cash_share
FROM span s LEFT JOIN listed l USING (sid) LEFT JOIN paid p USING (sid) LEFT JOIN bought b USING (sid);

CREATE TABLE counted_month AS
WITH summed AS (
    SELECT sid, date_trunc('month', trans_date)::DATE AS month_start,
           coalesce(sum(credit) FILTER (is_earned), 0) AS earned,
           coalesce(sum(credit) FILTER (is_income AND NOT is_earned AND NOT is_interest), 0) AS soft,
           coalesce(sum(credit) FILTER (is_sale), 0)
               + 0.5::DOUBLE * coalesce(sum(credit) FILTER (may_be_sale), 0) AS sales,
           count(*) FILTER (debit > 0 AND NOT (is_of_lender OR is_betting OR is_own)
                            AND list_has_any(lists, ['trade', 'stock'])) AS bought
    FROM kind GROUP BY ALL
)
SELECT m.sid, m.is_full, m.full_ago, coalesce(earned + 0.5::DOUBLE * least(soft, earned), 0)::DOUBLE AS counted,
       coalesce(sales, 0)::DOUBLE AS sales, coalesce(bought, 0) AS bought
FROM month m LEFT JOIN summed USING (sid, month_start);

CREATE TABLE m_counted AS
WITH months AS (
    SELECT sid, count(*) FILTER (is_full) AS n,
           quantile_cont(counted, 0.5) FILTER (is_full) AS counted_usual,
           avg(counted) FILTER (full_ago <= 3) AS counted_3m,
           avg(counted) FILTER (is_full) AS counted_mean, stddev_samp(counted) FILTER (is_full) AS counted_std,
           quantile_cont(sales, 0.5) FILTER (is_full) AS sales_usual, avg(sales) FILTER (full_ago <= 3) AS sales_3m,
           avg(sales) FILTER (is_full) AS sales_mean, count(*) FILTER (full_ago <= 3 AND bought > 0) AS bought
    FROM counted_month GROUP BY sid
), counted AS (
    SELECT s.sid, CASE WHEN n >= 3 THEN least(counted_usual, counted_3m) END AS income,
           ratio(counted_std, counted_mean) AS cv,
           CASE WHEN n >= 3 THEN least(sales_usual, sales_3m) END AS sales,
           CASE WHEN n >= 3 THEN sales_3m END AS sales_3m,
           sales_mean, CASE WHEN n >= 3 AND s.has_debit THEN bought END AS bought,
           greatest(coalesce(o.repayment_full_month_mean, parameter_of(s.sid, 'assumed_obligations')),
                    coalesce(t.loan_stream_month_total, 0), o.borrowed_90d::DOUBLE / 3) AS commitments,
           o.essential_full_month_mean AS essential
    FROM span s JOIN m_obligations o USING (sid) JOIN m_streams t USING (sid) LEFT JOIN months m USING (sid)
), lived AS (
    -- greatest() passes over an unknown, which the living of an unknown income is not.
    SELECT *, CASE WHEN income IS NOT NULL
        THEN greatest(coalesce(essential, 0), parameter_of(sid, 'living_cost_share') * income, parameter_of(sid, 'living_floor'))
        END AS living
    FROM counted
), roomy AS (
    SELECT *, CASE WHEN income IS NOT NULL
        THEN greatest(0, least(parameter_of(sid, 'max_dti') * income, income - living)) END AS room
    FROM lived
)
SELECT sid, income AS counted_income, cv AS counted_income_cv, sales AS sales_base, sales_3m AS sales_3m_mean,
       sales_mean AS sales_full_month_mean, bought AS stock_months_3m, commitments, living, room AS instalment_room,
       CASE WHEN room IS NOT NULL THEN greatest(0, room - commitments) END AS free_instalment
FROM roomy;
