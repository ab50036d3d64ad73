//! Who decides: by the option `--by`, or by the environment. Knows nothing of what is decided.

/// Names the person for a shell, a container or a timer, which may have no user of the system.
const OWN_VARIABLE: &str = "LENDWRIGHT_BY";
/// The name of the system's user, by system.
const USER_VARIABLES: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// The name of the person who decides. `variable` looks up an environment variable.
///
/// # Errors
/// If nothing names a person.
pub(super) fn find_person_name(by: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let variables = std::iter::once(OWN_VARIABLE).chain(USER_VARIABLES);
    let mut names = by.map(str::to_owned).into_iter().chain(variables.filter_map(variable));
    names.find(|name| !name.trim().is_empty()).ok_or_else(|| {
        format!(
            "the name of the person who decides is not known, because `{}` is not set: give `--by NAME`, or set \
             `{OWN_VARIABLE}`",
            USER_VARIABLES[0]
        )
    })
}

#[cfg(test)]
mod tests {
    use super::find_person_name;

    #[test]
    fn a_person_is_named_by_the_option_then_by_our_variable_then_by_the_system() {
        let find = |by: Option<&str>, set: &[(&str, &str)]| {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string());
            find_person_name(by, &variable)
        };
        let all = [("USER", "root"), ("LENDWRIGHT_BY", "Ada Obi")];
        assert_eq!(find(Some("Bola"), &all).unwrap(), "Bola");
        assert_eq!(find(None, &all).unwrap(), "Ada Obi");
        assert_eq!(find(None, &[("USER", ""), ("LOGNAME", "ada")]).unwrap(), "ada");
        let problem = find(Some(" "), &[("LENDWRIGHT_BY", "")]).unwrap_err();
        assert!(problem.contains("give `--by NAME`, or set `LENDWRIGHT_BY`"), "{problem}");
    }
}
