//! Checks the score and the tables, each after those it names, directly or through definitions; otherwise in the order
//! of the files. Knows names, but no types. Does not recurse through names.

use std::collections::{HashMap, HashSet};

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::judgement::{computed, score, table, template};
use crate::rules::check::symbols::definition_list::shorten_name_chain;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, Later, Symbol};
use crate::rules::check::symbols::symbol_table::SymbolTable;
use crate::rules::program::{DecisionTable, Score, ScoreItem};
use crate::rules::syntax::ast::{Expr, ExprKind};
use crate::rules::syntax::file::RuleFile;
use crate::rules::syntax::judgement::{DecisionTable as WrittenTable, Score as WrittenScore, TableRowsSource};
use crate::rules::syntax::mentioned_names::mentioned_names;
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::Unit;

/// How many definitions are followed to find out whether a value is a text.
const GUESSES_MAX: u8 = 20;

/// Calls whose value is their first argument's, or one like it.
const CARRIES: [&str; 12] = [
    "arg_max", "arg_min", "carried", "coalesce", "first", "last", "list_of", "max", "min", "mode", "nullif", "previous",
];

/// What a name depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Need {
    Definition(usize),
    Later(Later),
}

/// The score and the tables after they were checked.
pub(in crate::rules) struct Judged {
    pub score: Checked<Option<Score>>,
    pub items: Vec<ScoreItem>,
    /// The tables without a mistake, in the order of the files.
    pub tables: Vec<DecisionTable>,
    /// Whether there is no mistake.
    pub whole: bool,
}

/// Checks the score and all tables.
pub(in crate::rules) fn check_score_and_tables(checker: &mut Checker, files: &[RuleFile]) -> Judged {
    let written = the_score(&mut checker.mistakes, files);
    let tables: Vec<&WrittenTable> = files.iter().flat_map(|file| &file.tables).collect();
    declare_judged_names(&mut checker.symbols, &mut checker.mistakes, written, &tables);
    let mut search = JudgementOrder::new(checker, written, &tables);
    search.all();
    let (order, late) = (std::mem::take(&mut search.order), search.late_reasons());
    let (mut score, mut items) = (Ok(None), Vec::new());
    let mut checked: Vec<Option<DecisionTable>> = tables.iter().map(|_| None).collect();
    for next in order {
        match (next, written) {
            (Later::Table(index), _) => {
                checker.spaces.enter(tables[index].name.span);
                checked[index] = table::check_decision_table(checker, tables[index], index).ok();
            }
            (Later::Score, Some(written)) => {
                checker.spaces.enter(written.base.span());
                score = score::check_scorecard(checker, written, &late, &mut items).map(Some);
            }
            (Later::Score, None) => {}
        }
    }
    if let Some(written) = written {
        checker.spaces.enter(written.base.span());
        let late = score::late_reasons(checker, written, &late, &mut items);
        score = late.and(score);
    }
    let whole = checked.iter().all(Option::is_some);
    Judged { score, items, tables: checked.into_iter().flatten().collect(), whole }
}

/// The policy's score. Reports any other one.
fn the_score<'f>(mistakes: &mut Mistakes, files: &'f [RuleFile]) -> Option<&'f WrittenScore> {
    let mut scores = files.iter().filter_map(|file| file.score.as_ref());
    let score = scores.next();
    for other in scores {
        let diagnostic =
            Diagnostic::error("shadowing", other.base.span(), "there is already a [score] in another file");
        mistakes.push(diagnostic.help("keep one of them"));
    }
    score
}

fn declare_judged_names(
    symbols: &mut SymbolTable,
    mistakes: &mut Mistakes,
    score: Option<&WrittenScore>,
    tables: &[&WrittenTable],
) {
    if let Some(score) = score {
        symbols.declare(mistakes, &score.name(), Symbol::Later(Later::Score));
    }
    for (index, table) in tables.iter().enumerate() {
        for output in &table.outputs {
            symbols.declare(mistakes, &output.name, Symbol::Later(Later::Table(index)));
        }
    }
}

struct JudgementOrder<'s, 'c> {
    checker: &'s mut Checker<'c>,
    score: Option<&'s WrittenScore>,
    tables: &'s [&'s WrittenTable],
    states: HashMap<Need, VisitState>,
    /// Each one is needed by the one before.
    open: Vec<OpenJudgement>,
    /// The indexes of the open ones that are the score or a table.
    judging: Vec<usize>,
    reported: HashSet<Need>,
    order: Vec<Later>,
}

#[derive(Clone, Copy)]
enum VisitState {
    /// Its index among the open ones.
    Open(usize),
    /// Whether it is, or leads to, the score or a table.
    Done(bool),
}

struct OpenJudgement {
    need: Need,
    /// Needs still to be examined, in reverse order.
    needs: Vec<Need>,
    leads: bool,
}

impl<'s, 'c> JudgementOrder<'s, 'c> {
    fn new(checker: &'s mut Checker<'c>, score: Option<&'s WrittenScore>, tables: &'s [&'s WrittenTable]) -> Self {
        let (states, open, judging) = (HashMap::new(), Vec::new(), Vec::new());
        Self { checker, score, tables, states, open, judging, reported: HashSet::new(), order: Vec::new() }
    }

    fn all(&mut self) {
        if self.score.is_some() {
            self.visit(Need::Later(Later::Score));
        }
        for index in 0..self.tables.len() {
            self.visit(Need::Later(Later::Table(index)));
        }
    }

    /// The indexes of score items whose reasons use values that may be known only after the score. Nothing depends on a
    /// reason, so it may use the score itself.
    fn late_reasons(mut self) -> HashSet<usize> {
        let Some(score) = self.score else { return HashSet::new() };
        let mut late = HashSet::new();
        for (number, reason) in
            score.items.iter().enumerate().filter_map(|(at, item)| Some((at, item.reason.as_ref()?)))
        {
            let space = self.checker.spaces.enter(score.base.span());
            let mut needs = Vec::new();
            template::mentioned_names(reason, &mut |name| {
                needs.extend(self.checker.find_symbol(name).and_then(need_of_symbol))
            });
            self.checker.spaces.leave(space);
            for need in needs {
                self.visit(need);
                if matches!(self.states.get(&need), Some(VisitState::Done(true))) {
                    late.insert(number);
                }
            }
        }
        late
    }

    fn visit(&mut self, root: Need) {
        if self.states.contains_key(&root) {
            return;
        }
        self.begin(root);
        while let Some(open) = self.open.last_mut() {
            let Some(need) = open.needs.pop() else {
                self.finish();
                continue;
            };
            match self.states.get(&need).copied() {
                None => self.begin(need),
                Some(VisitState::Done(leads)) => open.leads |= leads,
                Some(VisitState::Open(place)) => self.cycle(need, place),
            }
        }
    }

    fn begin(&mut self, need: Need) {
        let mut needs = match need {
            Need::Definition(index) => self.of_definition(index),
            Need::Later(Later::Score) => self.of_score(),
            Need::Later(Later::Table(index)) => self.of_table(index),
        };
        needs.reverse();
        let leads = matches!(need, Need::Later(_));
        if leads {
            self.judging.push(self.open.len());
        }
        self.states.insert(need, VisitState::Open(self.open.len()));
        self.open.push(OpenJudgement { need, needs, leads });
    }

    fn finish(&mut self) {
        let Some(OpenJudgement { need, leads, .. }) = self.open.pop() else { return };
        self.states.insert(need, VisitState::Done(leads));
        if let Need::Later(later) = need {
            self.judging.pop();
            self.order.push(later);
        }
        if let Some(by) = self.open.last_mut() {
            by.leads |= leads;
        }
    }

    fn of_definition(&mut self, index: usize) -> Vec<Need> {
        let (mut needs, expr) = (Vec::new(), self.checker.parse_definition(index));
        if let Some(expr) = &expr {
            self.checker.visit_symbols(index, expr, &mut |symbol| needs.extend(need_of_symbol(symbol)));
        }
        self.checker.definitions.keep_parsed(index, expr);
        needs
    }

    fn of_score(&mut self) -> Vec<Need> {
        let Some(score) = self.score else { return Vec::new() };
        self.of_texts(score.base.span(), score.items.iter().map(|item| item.on.clone()))
    }

    fn of_table(&mut self, index: usize) -> Vec<Need> {
        let table = self.tables[index];
        let (tested, given) = (table.inputs.len(), table.outputs.len());
        let lines: &[_] = if let TableRowsSource::Here(lines) = &table.rows { lines } else { &[] };
        let whole = || lines.iter().filter(|(cells, _)| cells.len() == tested + given);
        let cells =
            whole().flat_map(|(cells, _)| &cells[tested..]).chain(table.otherwise.iter().flat_map(|(cells, _)| cells));
        // Many rows repeat the same formula.
        let mut seen = HashSet::new();
        let formulas = cells
            .filter_map(crate::rules::check::judgement::outputs::output_cell_formula)
            .filter(|formula| seen.insert(formula.value().to_owned()));
        let compared: Vec<usize> = (0..tested).filter(|column| !self.is_of_texts(&table.inputs[*column])).collect();
        let mut seen = HashSet::new();
        let compared = whole()
            .flat_map(|(cells, _)| compared.iter().map(|column| &cells[*column]))
            .filter(|cell| seen.insert(cell.value().to_owned()))
            .flat_map(computed::mentioned_expressions)
            .collect::<Vec<_>>();
        self.of_texts(table.name.span, table.inputs.iter().cloned().chain(formulas).chain(compared))
    }

    /// Whether an input of a table is a text, or a list of some, as far as its expression says so before it is checked.
    fn is_of_texts(&mut self, input: &Text) -> bool {
        let space = self.checker.spaces.enter(input.span());
        let is_text = parse::parse_rule_expression(input).is_ok_and(|expr| self.gives_text(&expr, GUESSES_MAX));
        self.checker.spaces.leave(space);
        is_text
    }

    fn gives_text(&mut self, expr: &Expr, guesses: u8) -> bool {
        const OF_TEXTS: [&str; 10] =
            ["concat", "lower", "mentioned", "replace", "substring", "text_of", "trim", "upper", "why", "counterparty"];
        let name = match &expr.kind {
            ExprKind::Text(_) => return true,
            ExprKind::Name(name) => name.clone(),
            ExprKind::Qualified(space, name) => format!("{space}.{name}"),
            ExprKind::Call(call) if OF_TEXTS.contains(&call.name.as_str()) => return true,
            // The value of these is one of their arguments.
            ExprKind::Call(call) if CARRIES.contains(&call.name.as_str()) => {
                return call.args.first().is_some_and(|first| self.gives_text(first, guesses));
            }
            ExprKind::Case(arms, _) => {
                return arms.iter().any(|(_, result)| self.gives_text(result, guesses));
            }
            _ => return false,
        };
        match self.checker.find_symbol(&name).cloned() {
            Some(Symbol::Later(Later::Table(index))) => {
                let last = name.rsplit('.').next().unwrap_or_default();
                let output = self.tables[index].outputs.iter().find(|output| output.name.text.ends_with(last));
                output.is_some_and(|output| output.kind.value().ends_with("text"))
            }
            Some(Symbol::Definition(index)) if guesses > 0 => {
                let span = self.checker.definitions.name(index).span;
                let space = self.checker.spaces.enter(span);
                let expr = self.checker.parse_definition(index);
                let is_text = expr.as_ref().is_some_and(|expr| self.gives_text(expr, guesses - 1));
                self.checker.definitions.keep_parsed(index, expr);
                self.checker.spaces.leave(space);
                is_text
            }
            Some(symbol) => self.checker.kind_of(&symbol).0.is_some_and(|ty| ty.unit == Unit::Text),
            None => false,
        }
    }

    /// The needs of expressions in the file of `span`. Their mistakes are reported when they are checked.
    fn of_texts(&mut self, span: Span, texts: impl Iterator<Item = Text>) -> Vec<Need> {
        let space = self.checker.spaces.enter(span);
        let mut needs = Vec::new();
        for expr in texts.filter_map(|text| parse::parse_rule_expression(&text).ok()) {
            mentioned_names(&expr, &mut |name| needs.extend(self.checker.find_symbol(name).and_then(need_of_symbol)));
        }
        self.checker.spaces.leave(space);
        needs
    }

    /// Reports a cycle once. A cycle of definitions alone is reported when they are checked.
    fn cycle(&mut self, need: Need, place: usize) {
        if self.judging.last().is_none_or(|last| *last < place) || !self.reported.insert(need) {
            return;
        }
        let open = &self.open[place..];
        let chain = shorten_name_chain(open.len(), |at| self.shown(open[at].need));
        let (name, span) = (self.shown(need), self.place(need));
        let help = match (chain.len(), need) {
            (1, Need::Later(Later::Table(_))) => "a table cannot use its own outputs".to_owned(),
            (1, _) => "the score cannot use its own value".to_owned(),
            _ => format!("each needs the next: {}, {name}", chain.join(", ")),
        };
        let diagnostic = Diagnostic::error("cycle", span, format!("{name} depends on itself"));
        self.checker.mistakes.push(diagnostic.help(help));
    }

    fn shown(&self, need: Need) -> String {
        match need {
            Need::Definition(index) => format!("`{}`", self.checker.definitions.name(index).text),
            Need::Later(Later::Score) => "`score`".to_owned(),
            Need::Later(Later::Table(index)) => format!("table `{}`", self.tables[index].name.text),
        }
    }

    fn place(&self, need: Need) -> Span {
        match need {
            Need::Definition(index) => self.checker.definitions.name(index).span,
            Need::Later(Later::Score) => self.score.map(|score| score.base.span()).unwrap_or_default(),
            Need::Later(Later::Table(index)) => self.tables[index].name.span,
        }
    }
}

fn need_of_symbol(symbol: &Symbol) -> Option<Need> {
    match symbol {
        Symbol::Definition(index) => Some(Need::Definition(*index)),
        Symbol::Later(later) => Some(Need::Later(*later)),
        _ => None,
    }
}
