//! A DMN model as written: definitions, inputs, decisions, and their logic.

use roxmltree::Node;

/// Deepest nesting; no real decision is nested deeper.
const DEPTH_MAX: usize = 60;

/// One file.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub name: String,
    pub items: Vec<ItemDefinition>,
    pub inputs: Vec<Variable>,
    pub decisions: Vec<DmnDecision>,
    pub functions: Vec<Function>,
    /// The prefix of each import's names, and its namespace.
    pub imports: Vec<(String, String)>,
    pub namespace: String,
}

/// A type: an alias, a list, or a structure.
#[derive(Clone, Debug)]
pub(super) struct ItemDefinition {
    pub name: String,
    pub of: Option<String>,
    pub is_list: bool,
    pub parts: Vec<ItemDefinition>,
}

/// A name and its type.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub of: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct DmnDecision {
    pub id: Option<String>,
    pub variable: Variable,
    /// Ids of the required decisions.
    pub requires: Vec<String>,
    pub logic: Option<Logic>,
}

/// A business knowledge model.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Option<Logic>,
}

/// A boxed expression.
#[derive(Clone, Debug)]
pub(super) enum Logic {
    Literal(String),
    Table(Box<DmnTable>),
    Invocation(String, Vec<(String, Logic)>),
    /// Entries by name. An entry without a name is the result.
    Context(Vec<(Option<String>, Logic)>),
    List(Vec<Logic>),
    Other(String),
}

#[derive(Clone, Debug)]
pub(super) struct DmnTable {
    /// A label for people, of its result or of itself.
    pub label: Option<String>,
    pub hit: String,
    pub aggregation: Option<String>,
    /// Expression and type of each.
    pub inputs: Vec<(String, Option<String>)>,
    pub outputs: Vec<DmnOutput>,
    /// Input entries and output entries.
    pub rules: Vec<(Vec<String>, Vec<String>)>,
}

#[derive(Clone, Debug)]
pub(super) struct DmnOutput {
    pub name: Option<String>,
    pub values: Option<String>,
    pub otherwise: Option<String>,
}

/// Reads the definitions of a document.
pub(super) fn read_dmn_model(text: &str) -> Result<Model, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: 1_000_000, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "definitions" {
        return Err(format!("the root is <{}>, a DMN model's is <definitions>", root.tag_name().name()));
    }
    if !root.tag_name().namespace().unwrap_or("").contains("/DMN/") {
        return Err("the namespace is not one of DMN".to_owned());
    }
    let mut model = Model {
        name: root.attribute("name").unwrap_or("model").to_owned(),
        namespace: root.attribute("namespace").unwrap_or("").to_owned(),
        ..Model::default()
    };
    for node in elements(root) {
        match node.tag_name().name() {
            "itemDefinition" => model.items.push(item(node, 0)?),
            "inputData" => model.inputs.push(variable(node)),
            "decision" => model.decisions.push(read_dmn_decision(node)?),
            "businessKnowledgeModel" => model.functions.push(read_dmn_function(node)?),
            "import" => {
                model.imports.push((name(node), node.attribute("namespace").unwrap_or("").to_owned()));
            }
            _ => {}
        }
    }
    Ok(model)
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|child| child.tag_name().name() == tag)
}

/// Replaces each run of white space by one space.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn name(node: Node) -> String {
    plain(node.attribute("name").unwrap_or(""))
}

fn text_in(node: Node, tag: &str) -> Option<String> {
    let text: String = child(child(node, tag)?, "text")?
        .descendants()
        .filter_map(|node| node.is_text().then(|| node.text()).flatten())
        .collect();
    Some(text.trim().to_owned())
}

fn own_text(node: Node) -> String {
    let text = child(node, "text").map(|text| {
        text.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect::<String>()
    });
    text.unwrap_or_default().trim().to_owned()
}

fn type_ref(node: Node) -> Option<String> {
    let written = node.attribute("typeRef").map(str::to_owned);
    written.or_else(|| child(node, "typeRef").and_then(|of| of.text()).map(|text| text.trim().to_owned()))
}

fn item(node: Node, depth: usize) -> Result<ItemDefinition, String> {
    bounded(depth)?;
    let components = elements(node).filter(|child| child.tag_name().name() == "itemComponent");
    let parts = components.map(|part| item(part, depth + 1)).collect::<Result<_, _>>()?;
    Ok(ItemDefinition {
        name: name(node),
        of: type_ref(node),
        is_list: node.attribute("isCollection") == Some("true"),
        parts,
    })
}

fn bounded(depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX { Err(format!("nested more than {DEPTH_MAX} deep")) } else { Ok(()) }
}

fn variable(node: Node) -> Variable {
    let of = child(node, "variable").and_then(type_ref).or_else(|| type_ref(node));
    Variable { name: name(node), of }
}

fn read_dmn_decision(node: Node) -> Result<DmnDecision, String> {
    let requirements = elements(node).filter(|child| child.tag_name().name() == "informationRequirement");
    let required = requirements.filter_map(|requirement| child(requirement, "requiredDecision")?.attribute("href"));
    let requires = required.filter_map(|href| href.strip_prefix('#')).map(str::to_owned).collect();
    let id = node.attribute("id").map(str::to_owned);
    Ok(DmnDecision { id, variable: variable(node), requires, logic: logic_in(node, 0)? })
}

fn read_dmn_function(node: Node) -> Result<Function, String> {
    let Some(logic) = child(node, "encapsulatedLogic") else {
        return Ok(Function { name: name(node), parameters: Vec::new(), body: None });
    };
    let parameters = elements(logic).filter(|child| child.tag_name().name() == "formalParameter").map(name).collect();
    Ok(Function { name: name(node), parameters, body: logic_in(logic, 0)? })
}

/// The boxed expression among the children of a node.
fn logic_in(node: Node, depth: usize) -> Result<Option<Logic>, String> {
    bounded(depth)?;
    for child in elements(node) {
        let logic = match child.tag_name().name() {
            "literalExpression" => literal(child),
            "decisionTable" => decision_table(child),
            "invocation" => read_dmn_invocation(child, depth)?,
            "context" => Logic::Context(read_dmn_context(child, depth)?),
            "list" => {
                let items = elements(child).filter(|item| item.tag_name().name() != "description");
                Logic::List(items.filter_map(|item| one(item, depth + 1).transpose()).collect::<Result<_, _>>()?)
            }
            other @ ("relation" | "functionDefinition" | "conditional" | "for" | "every" | "some" | "filter") => {
                Logic::Other(format!("a boxed <{other}>"))
            }
            _ => continue,
        };
        return Ok(Some(logic));
    }
    Ok(None)
}

/// The boxed expression that an element is.
fn one(node: Node, depth: usize) -> Result<Option<Logic>, String> {
    bounded(depth)?;
    Ok(Some(match node.tag_name().name() {
        "literalExpression" => literal(node),
        "decisionTable" => decision_table(node),
        "invocation" => read_dmn_invocation(node, depth)?,
        "context" => Logic::Context(read_dmn_context(node, depth)?),
        other => Logic::Other(format!("a boxed <{other}>")),
    }))
}

fn literal(node: Node) -> Logic {
    match other_language(node) {
        Some(language) => Logic::Other(format!("an expression in {language}")),
        None => Logic::Literal(own_text(node)),
    }
}

fn decision_table(node: Node) -> Logic {
    match node.descendants().find_map(other_language) {
        Some(language) => Logic::Other(format!("a decision table with an expression in {language}")),
        None => Logic::Table(Box::new(read_dmn_table(node))),
    }
}

/// The language of an expression if it is not FEEL. JUEL, as process engines call it, is tried as FEEL.
fn other_language(node: Node) -> Option<String> {
    let language = node.attribute("expressionLanguage")?.trim();
    let lower = language.to_lowercase();
    (!lower.is_empty() && !lower.contains("feel") && lower != "juel").then(|| language.to_owned())
}

fn read_dmn_invocation(node: Node, depth: usize) -> Result<Logic, String> {
    let callee = child(node, "literalExpression").map(own_text).unwrap_or_default();
    let mut bindings = Vec::new();
    for binding in elements(node).filter(|child| child.tag_name().name() == "binding") {
        let parameter = child(binding, "parameter").map(name).unwrap_or_default();
        if let Some(value) = logic_in(binding, depth + 1)? {
            bindings.push((parameter, value));
        }
    }
    Ok(Logic::Invocation(callee, bindings))
}

fn read_dmn_context(node: Node, depth: usize) -> Result<Vec<(Option<String>, Logic)>, String> {
    let mut entries = Vec::new();
    for entry in elements(node).filter(|child| child.tag_name().name() == "contextEntry") {
        let name = child(entry, "variable").map(name).filter(|name| !name.is_empty());
        let value = logic_in(entry, depth + 1)?;
        entries.push((name, value.unwrap_or(Logic::Other("an empty context entry".to_owned()))));
    }
    Ok(entries)
}

fn read_dmn_table(node: Node) -> DmnTable {
    let all = |tag: &'static str| elements(node).filter(move |child| child.tag_name().name() == tag);
    let input = |input: Node| {
        let of = child(input, "inputExpression").and_then(type_ref);
        (text_in(input, "inputExpression").unwrap_or_default(), of)
    };
    let output = |output: Node| DmnOutput {
        name: Some(name(output)).filter(|name| !name.is_empty()),
        values: text_in(output, "outputValues"),
        otherwise: text_in_entry(output, "defaultOutputEntry"),
    };
    let entries = |rule: Node, tag: &str| -> Vec<String> {
        elements(rule).filter(|child| child.tag_name().name() == tag).map(own_text).collect()
    };
    let labels = [node.attribute("outputLabel"), node.attribute("label")];
    DmnTable {
        label: labels.into_iter().flatten().map(plain).find(|label| !label.is_empty()),
        hit: node.attribute("hitPolicy").unwrap_or("UNIQUE").to_owned(),
        aggregation: node.attribute("aggregation").map(str::to_owned),
        inputs: all("input").map(input).collect(),
        outputs: all("output").map(output).collect(),
        rules: all("rule").map(|rule| (entries(rule, "inputEntry"), entries(rule, "outputEntry"))).collect(),
    }
}

fn text_in_entry(node: Node, tag: &str) -> Option<String> {
    child(node, tag).map(own_text).filter(|text| !text.is_empty())
}
