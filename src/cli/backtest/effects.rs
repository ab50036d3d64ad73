//! What each change of the rules does, one by one: takes the two rule files apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::output::Failure;
use super::super::portfolio::Loaded;
use crate::authoring::blend::{Blend, BlendedTexts, pair_texts};
use crate::portfolio::summary::ChangeEffects;
use crate::portfolio::{CHANGES_MAX, Judged, measure_change_effects};
use crate::rules::PolicySet;
use crate::run::files::PolicyTexts;

/// The effects, or why they cannot be told.
pub(super) fn measure_effects(
    before_path: &Path,
    after_path: &Path,
    before: &Judged,
    after: &Judged,
    loaded: &mut Loaded,
) -> Result<Result<ChangeEffects, String>, Failure> {
    let (old, new) = (read_texts(before_path)?, read_texts(after_path)?);
    let blend = match Blend::new(&pair_texts(&old, &new), &before.policy.overrides, &after.policy.overrides) {
        Ok(blend) if blend.parts().len() > CHANGES_MAX => {
            return Ok(Err(format!("there are {} changes, more than {CHANGES_MAX}", blend.parts().len())));
        }
        Ok(blend) => blend,
        Err(what) => return Ok(Err(what)),
    };
    let changes: Vec<String> = blend.parts().iter().map(|part| part.name.clone()).collect();
    let compile = |chosen: &[bool]| {
        let BlendedTexts { texts, set } = blend.texts(chosen);
        let folder = before_path.parent().unwrap_or(Path::new(""));
        let path = |name: &str| if name.is_empty() { before_path.to_owned() } else { folder.join(name) };
        let texts = texts.into_iter().map(|(name, text)| (path(&name), text)).collect();
        let texts = PolicyTexts { path: before_path.to_owned(), versions: None, texts };
        let policies = texts.compile(&set).map_err(|error| error.to_string())?;
        Ok(policies.latest().clone())
    };
    let request = loaded.request.clone();
    let cache = &mut loaded.portfolio.cache;
    let found = measure_change_effects(cache, &before.decisions, &after.decisions, &changes, &compile, &request)
        .map_err(Failure::message)?;
    Ok(found.ok_or_else(|| "the changes taken together do not make the challenger".to_owned()))
}

/// The texts of a policy by their names in the folder of the rule file, which itself has an empty name.
fn read_texts(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let (texts, _) = PolicyTexts::load(path, &[]).map_err(Failure::message)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let name = |file: PathBuf| match file == path {
        true => String::new(),
        false => file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned(),
    };
    Ok(texts.texts.into_iter().map(|(file, text)| (name(file), text)).collect())
}
