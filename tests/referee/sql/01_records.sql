-- Records, and what each one is: `tx`, from which all metrics are computed. Written from the catalogue's definitions;
-- must not follow the program's own evaluator in anything. Our readings: what is on neither side is no credit; what no
-- name stands in has no payer, so that nothing is known of its other records.
--
-- Given by compare.py:
--   source_record (source, customer, place, id, trans_date, cleared_date, credit, debit, balance, narration, topics)
--       money in minor units; `place` orders the records of a day; records dropped as repeats of an id are already gone
--   source_repeat (source, customer)                       one row a record dropped
--   asked (sid, source, customer, as_of, names_debit, is_given)      one row a statement and day to judge
--   text_list (narration, topics, lists)                   the word lists that a text mentions
--   text_word (narration, topics, list, word)              and the first word of each list
--   party_list (party, lists)                              the word lists of which a party's name holds a word
--   parameter (source, name, value)                        as the policy of a source says it

CREATE MACRO ratio(a, b) AS CASE WHEN b = 0 THEN NULL ELSE a::DOUBLE / b::DOUBLE END;
-- Sample variance from exact sums: n, sum of x, sum of x squared.
CREATE MACRO deviation(n, s, ss) AS
    CASE WHEN n > 1
        THEN sqrt((n::HUGEINT * ss::HUGEINT - s::HUGEINT * s::HUGEINT)::DOUBLE / (n::DOUBLE * (n - 1)::DOUBLE)) END;
CREATE MACRO parameter_of(statement, wanted) AS
    (SELECT p.value FROM parameter p JOIN asked q ON q.source = p.source WHERE q.sid = statement AND p.name = wanted);

-- Every record with its words, and with what is given of it (01_given.sql).
CREATE TABLE record AS
SELECT a.sid, a.as_of, r.id, r.trans_date, r.cleared_date,
       coalesce(r.credit, 0)::BIGINT AS credit, coalesce(r.debit, 0)::BIGINT AS debit, r.balance,
       r.narration, r.topics, coalesce(t.lists, []) AS lists, g.party, coalesce(q.lists, []) AS named, g.nth,
       coalesce(len(string_split(g.party, ' ')), 0) AS name_words,
       coalesce(g.names_somebody, FALSE) AS names_somebody, coalesce(g.has_legal_form, FALSE) AS has_legal_form,
       coalesce(g.repeats_payment, FALSE) AS repeats_payment, coalesce(g.has_broken_name, FALSE) AS has_broken_name,
       coalesce(g.names_oneself, FALSE) AS names_oneself,
       g.party IS NOT NULL
           AND count(*) FILTER (r.credit > 0 AND s.is_monthly) OVER (PARTITION BY a.sid, g.party) > 1
           AS payer_is_monthly,
       row_number() OVER (PARTITION BY a.sid ORDER BY r.trans_date, r.place) AS n,
       coalesce(r.debit, 0) > 0 AS shows_debit,
       r.trans_date > a.as_of - 30 AS last_30, r.trans_date > a.as_of - 60 AS last_60,
       r.trans_date > a.as_of - 90 AS last_90,
       r.trans_date > a.as_of - 180 AS last_180, r.trans_date > a.as_of - 365 AS last_365
FROM asked a
JOIN source_record r ON r.source = a.source AND r.customer = a.customer AND r.trans_date <= a.as_of
LEFT JOIN text_list t ON t.narration = r.narration AND t.topics = r.topics
LEFT JOIN reading g ON g.sid = a.sid AND g.id = r.id
LEFT JOIN stream s ON s.sid = a.sid AND s.nth = g.nth
LEFT JOIN party_list q ON q.party = g.party;

-- Who wrote a record's words: the bank, or a person beside whose name they stand; and what they say by themselves.
CREATE TABLE worded AS
WITH written AS (
    SELECT *,
           credit > 0 AND list_contains(lists, 'cash_deposit') AS is_cash,
           list_contains(lists, 'sent')
               OR regexp_matches(narration,
                      '^(nip|trf|tfr|trsf|transfer|mob|fbnmobile|ussd|from |fip|cip|nxg|ib/|instant payment'
                      || '|[01].*/)| trf/', 'is') AS by_transfer,
           repeats_payment
               OR credit > 0
                  AND (regexp_matches(narration, '^nip cr/', 'is')
                       OR list_contains(lists, 'reversal')
                          AND regexp_matches(narration, '(frm|from) .* to .*(revers|rvsl)', 'is')) AS repeats_debit,
           NOT list_contains(lists, 'bank_reversal')
               AND (by_transfer
                    OR credit > 0 AND names_somebody AND NOT repeats_debit
                       AND NOT list_has_any(lists, ['card_payment', 'cash_deposit', 'bounce', 'bank_charges',
                           'card_refund', 'interest'])) AS is_sent,
           list_has_any(named, ['banks', 'wallets', 'forwarders'])
               AND NOT (list_contains(named, 'bank_namesakes') AND name_words >= 2
                        AND NOT list_contains(named, 'bank_words')) AS of_bank,
           party IS NOT NULL AND NOT of_bank
               AND NOT (list_contains(named, 'ways') AND name_words < 3) AS is_somebody,
           has_legal_form OR list_contains(named, 'employers')
               OR list_contains(lists, 'employers') AND NOT is_sent AS of_employer,
           -- A name of a person's form, in which nothing stands that persons do not have in theirs.
           names_somebody AND name_words >= 2
               AND NOT (of_bank AND name_words = 2 OR of_employer OR has_broken_name
                        OR list_has_any(named, ['firm_words', 'loan', 'pension', 'booking_words', 'gig_workers'])) AS is_person,
           is_person AND (is_sent OR credit = 0) AS by_person
    FROM record
)
SELECT *,
       credit > 0 AND (list_contains(lists, 'salary')
           OR NOT (list_contains(named, 'lenders') OR list_contains(lists, 'lenders'))
              AND (list_contains(lists, 'salary_glued')
                   OR regexp_matches(narration, '[0-9]salary|salary[0-9]'
                          || '|salary(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)2', 'is')
                      AND NOT regexp_matches(narration, 'salary(loan|adv|ref)|nosalary', 'is'))) AS says_salary,
       list_contains(lists, 'own_transfer') AND NOT list_contains(lists, 'cash_deposit') AS says_own,
       list_contains(lists, 'gift') OR regexp_matches(narration, '/(gift|for food)$', 'is') AS says_gift,
       credit > 0 AND list_contains(lists, 'pension') AND NOT (says_salary AND of_employer)
           AND (payer_is_monthly OR NOT by_person) AS is_pension,
       list_contains(lists, 'dividend') AND NOT by_person AS is_dividend,
       list_contains(named, 'gig') OR list_contains(lists, 'gig') AND NOT by_person
           OR list_has_all(lists, ['gig_workers', 'gig_payouts']) AS of_platform,
       list_contains(lists, 'settlement') AND NOT by_person AS is_settled,
       list_contains(lists, 'benefits') AND NOT by_person AS of_state,
       list_contains(lists, 'bounce')
               AND (NOT is_sent OR NOT is_somebody OR list_contains(named, 'bounce_names'))
           OR list_has_all(lists, ['returned_words', 'returned_items'])
               AND NOT (by_person OR list_contains(lists, 'refund')
                        OR by_transfer AND (of_employer OR list_contains(named, 'firm_words'))) AS says_bounce,
       list_contains(lists, 'bounce_charge') OR says_bounce AND list_contains(lists, 'fee_words') AS charges_bounce
FROM written;

-- Who lends, by a record's own words.
CREATE TABLE lending AS
WITH owed AS (
    SELECT *,
           -- The name of a product, and no surname: FASTLOANBOOKING.
           coalesce(regexp_matches(party, 'loan( |$)|loan(book|disb|rep|rec)') AND NOT regexp_matches(party, 'sloan( |$)')
               AND name_words < 3 AND NOT list_has_any(lists, ['card_payment', 'pos']), FALSE) AS names_loan,
           (regexp_matches(narration, '^(salary ?|term |personal )loan', 'is')
               OR regexp_matches(narration, '^loan', 'is') AND NOT says_salary)
               AND NOT regexp_matches(narration, ' from ', 'is') AS is_headed_loan,
           -- What a trader sends may name what it paid for: a lender's wares.
           (list_contains(named, 'lenders')
               OR list_contains(lists, 'lenders')
                  AND (list_contains(named, 'lending_banks') OR NOT (is_sent AND is_somebody)))
               AND (credit = 0 OR NOT is_sent OR NOT list_contains(lists, 'trade') OR list_contains(lists, 'loan'))
               AS names_lender,
           credit = 0 AND NOT list_contains(lists, 'card_payment') AND NOT (by_person AND by_transfer)
               AND (list_contains(lists, 'repaid_bills') OR list_has_all(lists, ['cards', 'card_dues'])
                    OR list_contains(named, 'financiers') AND NOT list_has_any(lists, ['insurance', 'treasuries'])
                       AND NOT (by_transfer AND (of_bank OR list_contains(lists, 'trade')))) AS is_credit_bill
    FROM worded
)
SELECT *,
       names_loan
           OR credit > 0 AND is_headed_loan
           OR list_contains(lists, 'loan_paid_out') AND NOT by_person
           OR credit > 0 AND list_contains(lists, 'disbursed')
              AND NOT (by_person OR of_employer OR says_salary OR is_dividend)
           OR credit = 0 AND list_contains(lists, 'loan_repaid')
           OR is_credit_bill
           OR NOT says_salary
              AND (names_lender
                   OR list_contains(lists, 'loan') AND NOT (by_transfer OR by_person)
                      AND NOT (credit = 0 AND list_has_any(lists, ['card_payment', 'pos']))) AS says_lending,
       NOT says_salary AND list_contains(lists, 'loan')
           AND (has_legal_form OR list_contains(named, 'firms')
                OR credit > 0 AND list_contains(named, 'firm_words')
                OR list_contains(lists, 'firms') AND NOT by_person) AS firm_says_loan
FROM owed;

-- What each record is: by its words, by its party's name, by what all records with its party say.
CREATE TABLE tx AS
WITH other AS (
    SELECT sid, party, count(*) FILTER (says_own) >= 2 OR 10 * count(*) FILTER (says_own) >= count(*) AS is_oneself,
           count(*) FILTER (credit > 0) > 0
               AND 10 * count(*) FILTER (credit > 0 AND (says_lending OR firm_says_loan))
                   >= 3 * count(*) FILTER (credit > 0) AS lends,
           10 * count(*) FILTER (says_lending) >= 3 * count(*) AS collects,
           2 * count(*) FILTER (credit > 0 AND list_contains(lists, 'loan'))
               >= count(*) FILTER (credit > 0) AS says_loan,
           2 * count(*) FILTER (credit > 0 AND list_contains(lists, 'refund'))
               >= count(*) FILTER (credit > 0) AS says_refund,
           max(debit) FILTER (credit = 0 AND list_contains(lists, 'card_payment')) AS took,
           max(debit) FILTER (credit = 0) AS was_paid
    FROM lending WHERE party IS NOT NULL GROUP BY sid, party
), lent AS (
    SELECT s.*, coalesce(o.is_oneself, FALSE) AS of_oneself, o.says_refund, o.took, o.was_paid,
           says_lending OR NOT says_salary AND (
               is_somebody AND coalesce(o.lends OR credit = 0 AND o.collects, FALSE)
               OR firm_says_loan AND (credit > 0 OR coalesce(o.says_loan, TRUE))) AS is_of_lender
    FROM lending s LEFT JOIN other o USING (sid, party)
), known AS (
    SELECT *,
           NOT (is_of_lender OR list_contains(lists, 'cash_deposit'))
               AND (names_oneself
                    OR list_contains(lists, 'own_transfer') AND NOT says_salary
                       AND NOT (is_sent AND is_somebody AND of_employer AND NOT list_contains(lists, 'own_channels'))
                    OR list_has_all(lists, ['savings_products', 'savings_moves'])
                       AND NOT (by_person OR says_salary OR has_legal_form
                                OR is_sent AND (of_employer OR list_contains(named, 'firm_words'))
                                OR list_has_any(lists, ['interest', 'card_payment', 'pos', 'atm', 'trade']))
                    OR credit > 0 AND NOT says_salary AND NOT list_contains(lists, 'interest')
                       AND (list_contains(named, 'savings') OR list_contains(lists, 'savings') AND NOT is_sent)
                    OR is_somebody AND of_oneself AND NOT of_employer) AS is_own,
           NOT says_salary
               AND (list_contains(named, 'betting')
                    OR list_contains(lists, 'betting') AND NOT by_person AND NOT (is_sent AND is_somebody))
               AS is_betting,
           credit > 0
               AND (says_bounce
                    OR list_contains(lists, 'reversal')
                       AND (NOT by_transfer AND NOT by_person OR repeats_debit OR coalesce(credit <= was_paid, FALSE))
                    OR NOT is_sent
                       AND (list_contains(lists, 'bank_reversal')
                            OR list_contains(lists, 'card_payment') AND NOT list_contains(lists, 'settlement')))
               AS is_reversal,
           credit > 0 AND is_sent AND is_somebody AND NOT (says_salary OR list_contains(lists, 'settlement'))
               AND coalesce(credit <= took, FALSE) AS is_paid_back
    FROM lent
), judged AS (
    SELECT *, credit > 0 AND is_of_lender AND NOT is_reversal AS is_loan_credit,
           debit > 0 AND is_of_lender AS is_repayment,
           credit > 0 AND is_betting AND NOT is_reversal AS is_betting_credit,
           credit > 0 AND is_own AND NOT is_reversal AS is_own_credit,
           credit > 0 AND NOT (is_own OR is_of_lender OR is_betting OR is_reversal)
               AND (is_paid_back
                    OR list_has_any(lists, ['tax_refund', 'card_refund'])
                    OR list_contains(lists, 'claims') AND (list_contains(lists, 'insurance') OR NOT is_sent)
                    OR list_contains(lists, 'refund') AND coalesce(says_refund, TRUE)) AS is_refund,
           says_bounce AND NOT charges_bounce AS is_bounce,
           charges_bounce AND credit = 0 AS is_charged,
           debit > 0
               AND (list_contains(lists, 'bank_charges')
                    OR list_contains(lists, 'fee_words')
                       AND NOT (by_transfer OR is_person OR has_legal_form OR is_of_lender
                                OR list_has_any(lists, ['education', 'rent', 'card_payment']))) AS is_bank_charge
    FROM known
)
SELECT *, credit > 0 AND NOT (is_own_credit OR is_loan_credit OR is_betting_credit OR is_reversal OR is_refund)
    AS is_income
FROM judged;
