//! Errors of the engine as exceptions of `lendwright._errors`, with code, place and help. Must not know what was asked.

use lendwright::arrow;
use lendwright::base::diagnostic::{Diagnostic, Sources};
use lendwright::files::{self, PolicyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// An exception of this class.
fn exception(
    py: Python<'_>,
    class: &str,
    (code, place, help): (&str, Option<&str>, Option<&str>),
    message: &str,
    findings: Option<Bound<'_, PyList>>,
) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("lendwright._errors")?.getattr(class)?;
        let named = PyDict::new(py);
        named.set_item("code", code)?;
        named.set_item("place", place)?;
        named.set_item("help", help)?;
        if let Some(findings) = findings {
            named.set_item("findings", findings)?;
        }
        Ok(PyErr::from_value(class.call((message,), Some(&named))?))
    };
    made().unwrap_or_else(|error| error)
}

/// What to do, which messages say after what is wrong.
fn help(message: &str) -> Option<&str> {
    message.split_once("; ").map(|(_, help)| help)
}

/// A statement or a table that cannot be read.
pub(crate) fn statement(py: Python<'_>, code: &str, place: Option<&str>, message: &str) -> PyErr {
    exception(py, "StatementError", (code, place, help(message)), message, None)
}

/// A request that cannot be used.
pub(crate) fn request(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "RequestError", ("request", None, help(message)), message, None)
}

/// Any other error.
pub(crate) fn other(py: Python<'_>, code: &str, message: &str) -> PyErr {
    exception(py, "Error", (code, None, help(message)), message, None)
}

fn read_error(py: Python<'_>, error: &lendwright::statement::Error, message: &str) -> PyErr {
    use lendwright::statement::Error;
    let code = match error {
        Error::Malformed { .. } => "malformed",
        Error::Refused { .. } => "refused",
        Error::NotAStatement { .. } => "not-a-statement",
        Error::Status { .. } => "status",
        Error::Incomplete { .. } => "incomplete",
        Error::Value { .. } => "value",
        Error::Duplicate { .. } => "duplicate",
        Error::Columns { .. } => "columns",
        Error::Signs { .. } => "signs",
        Error::Merge { .. } => "merge",
        Error::Period { .. } => "period",
        Error::Memory { .. } => "memory",
        _ => "table",
    };
    let (place, _) = error.parts();
    statement(py, code, place.as_deref(), message)
}

/// An error of reading a file.
pub(crate) fn file(py: Python<'_>, error: &files::Error) -> PyErr {
    let message = error.to_string();
    match error {
        files::Error::Statement { source, .. } => read_error(py, source, &message),
        files::Error::Io { .. } => statement(py, "io", None, &message),
        _ => statement(py, "format", None, &message),
    }
}

/// An error of deciding tables.
pub(crate) fn work(py: Python<'_>, error: &arrow::Error) -> PyErr {
    use arrow::Error;
    let message = error.to_string();
    match error {
        Error::Statement(source) => read_error(py, source, &message),
        Error::Request(_) => request(py, &message),
        Error::Outcomes(_) => other(py, "outcomes", &message),
        Error::NoCustomer(_) => statement(py, "customer", None, &message),
        Error::Again(_) => statement(py, "customer-again", None, &message),
        Error::Order => statement(py, "order", None, &message),
        Error::Reading(_) => statement(py, "reading", None, &message),
        Error::Verdicts(_) => other(py, "flag", &message),
        Error::Sorting(_) => other(py, "sorting", &message),
        Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(message),
        _ => other(py, "engine", &message),
    }
}

/// An error of loading a policy, with its mistakes.
pub(crate) fn policy(py: Python<'_>, error: &PolicyError) -> PyErr {
    let message = error.to_string();
    match error {
        PolicyError::Refused(refused) => {
            let first = refused.diagnostics.first();
            let place = first.map(|first| place(first, &refused.sources));
            let code = first.map_or("policy", |first| first.code);
            let help = first.and_then(|first| first.help.as_deref());
            match findings(py, &refused.diagnostics, &refused.sources) {
                Ok(list) => exception(py, "PolicyError", (code, place.as_deref(), help), &message, Some(list)),
                Err(error) => error,
            }
        }
        _ => exception(py, "PolicyError", ("file", None, help(&message)), &message, None),
    }
}

fn place(finding: &Diagnostic, sources: &Sources) -> String {
    let (line, column) = sources.line_column(finding.span);
    let name = sources.get(finding.span).map_or("rule file", |source| &source.name);
    format!("{name}:{line}:{column}")
}

/// The findings of `check`, as objects of `lendwright.Finding`.
pub(crate) fn findings<'py>(py: Python<'py>, found: &[Diagnostic], sources: &Sources) -> PyResult<Bound<'py, PyList>> {
    let class = py.import("lendwright._errors")?.getattr("Finding")?;
    let list = PyList::empty(py);
    for finding in found {
        let (line, column) = sources.line_column(finding.span);
        let file = sources.get(finding.span).map_or("", |source| &source.name);
        let severity = match finding.severity {
            lendwright::base::diagnostic::Severity::Error => "error",
            lendwright::base::diagnostic::Severity::Warning => "warning",
            lendwright::base::diagnostic::Severity::Note => "note",
        };
        let values = (finding.code, severity, finding.message.as_str(), file, line, column, finding.help.as_deref());
        list.append(class.call1(values)?)?;
    }
    Ok(list)
}
