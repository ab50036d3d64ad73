//! What is wrong with a page in a browser: measures, an audit of accessibility, and what a script sees.

use crate::browser::load;

/// Finds text in a column too narrow for it, and what is wider than the window.
const MEASURE: &str = r#"
document.querySelectorAll("details").forEach((one) => { one.open = true; });
const found = [];
const root = document.documentElement;
if (root.scrollWidth > innerWidth) found.push(`${root.scrollWidth} px of ${innerWidth}`);
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const range = document.createRange();
  range.selectNodeContents(texts.currentNode);
  const lines = range.getClientRects().length;
  const { width } = range.getBoundingClientRect();
  if (lines > 2 && width < 60) found.push(`${lines} lines in ${width} px: ${texts.currentNode.data}`);
}
for (const { name } of performance.getEntriesByType("resource")) found.push(`asks for ${name}`);
if (!document.querySelector("details")) found.push("nothing to unfold");
"#;

/// Finds what an audit of accessibility calls serious or critical.
const AUDIT: &str = r#"
const audit = window.axe ? axe.run(document, { resultTypes: ["violations"] }) : Promise.resolve({ violations: [] });
audit.then(({ violations }) => {
  for (const { id, impact, nodes } of violations) {
    if (["serious", "critical"].includes(impact)) found.push(`${id}: ${nodes[0].html}`);
  }
}).catch((error) => found.push(String(error))).finally(() => parent.postMessage(found, "*"));
"#;

/// What is wrong with a page in a window of this width; `None` without a browser.
pub(crate) fn wrong(page: &str, width: u32, scheme: &str, audit: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("<script>{audit}</script><script>addEventListener('load', () => {{{MEASURE}{AUDIT}}})</script></body>");
    assert_eq!(page.matches("</body>").count(), 1);
    std::fs::write(folder.path().join("page.html"), page.replace("</body>", &script)).unwrap();
    // A window has a least width, a frame has none.
    let frame = format!(
        "<!doctype html><pre>not measured</pre><iframe src=page.html width={width} height=900></iframe><script>\
         onmessage = (event) => {{ document.querySelector('pre').textContent = event.data.join('\\n') || 'fine'; }}\
         </script>"
    );
    let outer = folder.path().join("frame.html");
    std::fs::write(&outer, frame).unwrap();
    let dark = if scheme == "dark" { "0" } else { "1" };
    let scheme = format!("--blink-settings=preferredColorScheme={dark}");
    let url = format!("file://{}", outer.display());
    let loaded = load(&url, &[&scheme, "--window-size=1500,1000", "--virtual-time-budget=60000"])?;
    let (_, rest) = loaded.document.split_once("<pre>").unwrap_or_else(|| panic!("{}", loaded.document));
    let found = rest.split("</pre>").next().unwrap();
    let found = found.lines().filter(|line| *line != "fine").map(str::to_owned);
    Some(found.chain(loaded.console).collect())
}

/// The audit, if `AXE` names its script; `.ci/run` installs it.
pub(crate) fn audit() -> String {
    match std::env::var_os("AXE") {
        Some(path) => std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        None => {
            eprintln!("SKIPPED: AXE is not set, so that no page is audited for accessibility");
            String::new()
        }
    }
}

/// What a script sees on a page: the lines that it puts into `seen`. `None` without a browser.
pub(crate) fn seen(page: &str, script: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    // What the script throws is seen, too.
    let script = format!(
        "<script>addEventListener('load', () => {{ const seen = []; try {{ {script} }} catch (error) \
         {{ seen.push(String(error)); }} const shown = document.createElement('pre'); \
         shown.textContent = seen.join('\\n'); document.body.replaceChildren(shown); }});</script></body>"
    );
    assert_eq!(page.matches("</body>").count(), 1);
    let path = folder.path().join("page.html");
    std::fs::write(&path, page.replace("</body>", &script)).unwrap();
    let loaded = load(&format!("file://{}", path.display()), &["--virtual-time-budget=60000"])?;
    let (_, rest) = loaded.document.split_once("<pre>").unwrap_or_else(|| panic!("{}", loaded.document));
    let lines = rest.split("</pre>").next().unwrap().lines().map(str::to_owned);
    Some(lines.chain(loaded.console).collect())
}
