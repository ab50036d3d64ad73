//! The pages over real HTTP, and in a real browser, if there is one.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use super::{Pages, build_routes};
use crate::lender::loan::LoanState;
use crate::lender::operations::tests::Fixture;

#[path = "../../../../tests/it/fixtures/browser.rs"]
mod browser;

/// The pages at an address.
struct Served {
    fixture: Fixture,
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    fn new(has_actions: bool) -> Served {
        let fixture = Fixture::filled();
        let now = fixture.now();
        let pages = Pages {
            book: fixture.book.clone(),
            plan: Arc::new(fixture.plan.clone()),
            clock: Arc::new(move || now),
            desk: fixture.desk(),
            has_actions,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = build_routes(pages).unwrap();
        runtime.spawn(async move { axum::serve(listener, router).await });
        Served { fixture, address, _runtime: runtime }
    }

    fn ask(&self, request: &str) -> Got {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Got { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Got {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }

    /// A loan's path.
    fn path(&self, name: &str) -> String {
        format!("/loans/{}", self.fixture.row(name).id)
    }

    /// Sends a loan's form.
    fn post(&self, name: &str, fields: &str, headers: &str) -> Got {
        self.post_to(name, "decide", fields, headers)
    }

    fn post_to(&self, name: &str, form: &str, fields: &str, headers: &str) -> Got {
        let path = self.path(name);
        self.ask(&format!(
            "POST {path}/{form} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{fields}",
            self.address,
            fields.len()
        ))
    }

    fn own(&self) -> String {
        format!("Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", self.address)
    }
}

/// The value of a hidden field.
fn hidden(body: &str, name: &str) -> String {
    let (_, rest) = body.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{body}"));
    rest.split('"').next().unwrap().to_owned()
}

/// What a reader sees: a line per row, cells apart.
fn text(body: &str) -> String {
    let (_, main) = body.split_once("<main").unwrap();
    let (_, main) = main.split_once('>').unwrap();
    let main =
        main.split("</main>").next().unwrap().replace("</td>", " | ").replace("</th>", " | ").replace("</dt>", ": ");
    let ends = ["</tr>", "</h1>", "</h2>", "</p>", "</li>", "</dd>", "</label>", "</legend>"];
    let main = ends.iter().fold(main, |main, end| main.replace(end, "\n")).replace("</b>", " ");
    let (mut shown, mut is_tag) = (String::new(), false);
    for letter in main.chars() {
        match letter {
            '<' => is_tag = true,
            '>' => is_tag = false,
            letter if !is_tag => shown.push(letter),
            _ => {}
        }
    }
    let lines = shown.lines().map(|line| line.trim().trim_end_matches('|').trim().replace("&gt;", ">"));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_queue_says_what_waits_what_is_in_flight_and_what_failed() {
    let served = Served::new(false);
    let got = served.get("/loans");
    assert_eq!(got.status, 200);
    assert!(got.head.contains("content-security-policy: default-src 'none'"), "{}", got.head);
    insta::assert_snapshot!(text(&got.body));
    let found = served.get("/loans?find=L-OR-OPEN");
    assert_eq!(found.status, 303);
    assert!(found.head.contains(&format!("location: {}\r\n", served.path("OR-OPEN"))), "{}", found.head);
    assert!(text(&served.get("/loans?find=nothing").body).contains("There is no loan with this"));
    for path in ["/loans/999", "/loans/OR-CLOSED", "/loans/%00", "/loans/+1"] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    for path in ["/loans/style.css", "/loans/live.js"] {
        assert_eq!(served.get(path).status, 200);
    }
}

#[test]
fn a_loan_has_a_page_with_its_story_and_no_personal_data() {
    let served = Served::new(false);
    let got = served.get(&served.path("OR-OPEN"));
    insta::assert_snapshot!(text(&got.body));
    for personal in ["0123456789", "2348012345678", "1990-12-24"] {
        assert!(!got.body.contains(personal), "{personal}");
    }
    assert!(!got.body.contains("<form class=\"decide\""));
}

#[test]
fn pages_are_for_this_machine_alone() {
    let served = Served::new(true);
    for (host, status) in
        [("localhost:80", 200), ("127.0.0.1", 200), ("rebound.example", 403), ("127.0.0.1.example:80", 403)]
    {
        let got = served.ask(&format!("GET /loans HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(got.status, status, "{host}");
    }
}

#[test]
fn a_decision_needs_the_setting_the_token_and_these_pages() {
    let closed = Served::new(false);
    assert_eq!(closed.post("OR-FAILED", "act=cancel&by=Ada&note=n", &closed.own()).status, 403);
    let served = Served::new(true);
    let page = served.get(&served.path("OR-FAILED")).body;
    let (token, version) = (hidden(&page, "token"), hidden(&page, "version"));
    let form = |act: &str, token: &str, version: &str, by: &str| {
        format!("token={token}&version={version}&act={act}&by={by}&note=confirmed+by+phone")
    };
    let right = form("cancel", &token, &version, "Ada+Obi");
    let refused = [
        (right.clone(), String::new(), 403),
        (right.clone(), "Origin: http://evil.example\r\n".to_owned(), 403),
        (right.clone(), "Origin: null\r\n".to_owned(), 403),
        (right.clone(), "Sec-Fetch-Site: same-site\r\n".to_owned(), 403),
        (right.clone(), format!("Origin: http://{}\r\nSec-Fetch-Site: cross-site\r\n", served.address), 403),
        (form("cancel", "0", &version, "Ada"), served.own(), 403),
        (form("cancel", &token, "0", "Ada"), served.own(), 409),
        (form("cancel", &token, &version, ""), served.own(), 400),
        (form("steal", &token, &version, "Ada"), served.own(), 400),
        (form("refunded", &token, &version, "Ada"), served.own(), 409),
    ];
    for (fields, headers, status) in refused {
        assert_eq!(served.post("OR-FAILED", &fields, &headers).status, status, "{fields} {headers}");
    }
    assert_eq!(served.fixture.row("OR-FAILED").loan.state, LoanState::FundingFailed);
    // What was refused has touched the loan, too, so the page is loaded again.
    let version = hidden(&served.get(&served.path("OR-FAILED")).body, "version");
    let right = form("cancel", &token, &version, "Ada+Obi");
    let done = served.post("OR-FAILED", &right, &served.own());
    assert_eq!(done.status, 303, "{}", done.body);
    assert_eq!(served.fixture.row("OR-FAILED").loan.state, LoanState::Cancelled);
    let story = served.fixture.book.list_audit(served.fixture.row("OR-FAILED").id).unwrap();
    let last = story.last().unwrap();
    assert_eq!(last.actor, "Ada Obi");
    assert!(last.detail.contains("confirmed by phone"), "{}", last.detail);
    // The same form again is about a loan that has changed.
    assert_eq!(served.post("OR-FAILED", &right, &served.own()).status, 409);
}

#[test]
fn tiles_lead_to_the_loans_of_a_state_with_their_ages() {
    let served = Served::new(false);
    let page = served.get("/loans").body;
    for word in ["referred", "review", "in_flight"] {
        assert!(page.contains(&format!("href=\"/loans?state={word}\"")), "{word}");
    }
    let shown = text(&served.get("/loans?state=referred").body);
    let ids = ["OR-REFERRED", "OR-BARE"].map(|name| served.fixture.row(name).id);
    let lines: Vec<String> =
        ids.iter().map(|id| format!("{id} | referred | the policy asks a person | 40 d 0 h |")).collect();
    assert!(lines.iter().all(|line| shown.contains(line)), "{shown}");
    assert!(text(&served.get("/loans?state=in_flight").body).contains("There are no such loans."));
    assert_eq!(served.get("/loans?state=nowhere").status, 404);
}

const PERSON: &str = "by=Ada+Obi&note=pay+slip+seen";

#[test]
fn a_record_is_opened_with_a_name_that_the_audit_keeps() {
    let served = Served::new(true);
    let name = "OR-REFERRED";
    let page = served.get(&served.path(name)).body;
    assert!(page.contains("/record\"") && page.contains("Offers, if approved") && !page.contains("Only 2 records"));
    let token = hidden(&page, "token");
    let open = |fields: &str| served.post_to(name, "record", fields, &served.own());
    assert_eq!(open("token=0&by=Ada+Obi").status, 403);
    assert_eq!(open(&format!("token={token}&by=")).status, 400);
    assert_eq!(
        served.post_to(name, "record", &format!("token={token}&by=Ada"), "Origin: http://evil.example\r\n").status,
        403
    );
    let shown = |name: &str| served.fixture.book.list_audit(served.fixture.row(name).id).unwrap();
    assert!(shown(name).iter().all(|row| row.event != "personal_shown"));
    let got = open(&format!("token={token}&by=Ada+Obi"));
    assert_eq!(got.status, 200, "{}", got.body);
    insta::assert_snapshot!(text(&got.body));
    assert!(!got.body.contains("<script>alert"), "{}", got.body);
    let last = shown(name).pop().unwrap();
    assert_eq!((last.event.as_str(), last.actor.as_str()), ("personal_shown", "Ada Obi"));
    let closed = Served::new(false);
    assert_eq!(closed.post_to(name, "record", "token=0&by=Ada", &closed.own()).status, 403);
    assert!(closed.get(&closed.path(name)).body.contains("loans show --personal"));
}

#[test]
fn a_referral_is_approved_with_less_or_declined_with_a_code_on_its_page() {
    let served = Served::new(true);
    let decide = |name: &str, fields: &str| {
        let page = served.get(&served.path(name)).body;
        let (token, version) = (hidden(&page, "token"), hidden(&page, "version"));
        served.post(name, &format!("token={token}&version={version}&{PERSON}&{fields}"), &served.own())
    };
    for (fields, why) in [
        ("act=approve&amount=20000.01", "NGN 5,000.00 to NGN 20,000.00"),
        ("act=approve&amount=much", "the amount"),
        ("act=decline&code=R9", "the codes are R1, R2, INCOME_NOT_PROVEN"),
    ] {
        let got = decide("OR-REFERRED", fields);
        assert!(got.status == 400 && got.body.contains(why), "{} {}", got.status, got.body);
    }
    assert_eq!(decide("OR-REFERRED", "act=approve&amount=8000").status, 303);
    assert_eq!(decide("OR-BARE", "act=decline&code=R1").status, 303);
    let offers = served.fixture.book.list_offers(served.fixture.row("OR-REFERRED").id).unwrap();
    assert_eq!(offers[0].offer.amount_offered, 800_000);
    let last = served.fixture.book.list_audit(served.fixture.row("OR-BARE").id).unwrap().pop().unwrap();
    assert!(last.event == "override_declined" && last.detail.contains("\"code\":\"R1\""), "{}", last.detail);
}

/// Finds text in a column too narrow for it, and what is wider than the window.
const MEASURE: &str = r#"
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
if (getComputedStyle(document.querySelector("nav")).display !== "flex") found.push("no style");
const audit = window.axe ? axe.run(document, { resultTypes: ["violations"] }) : Promise.resolve({ violations: [] });
audit.then(({ violations }) => {
  for (const { id, impact, nodes } of violations) {
    if (["serious", "critical"].includes(impact)) found.push(`${id}: ${nodes[0].html}`);
  }
}).catch((error) => found.push(String(error))).finally(() => parent.postMessage(found, "*"));
"#;

/// What is wrong with a page in a window of this width; `None` without a browser.
fn wrong(page: &str, width: u32, scheme: &str) -> Option<Vec<String>> {
    // `.ci/run` installs the audit of accessibility.
    let audit = std::env::var_os("AXE").map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default();
    let folder = tempfile::tempdir().unwrap();
    let style = format!("<style>{}</style>", include_str!("style.css"));
    let page = page.replace("<link rel=\"stylesheet\" href=\"/loans/style.css\">", &style);
    let page = page.replace("<script src=\"/loans/live.js\" defer></script>", "");
    let script =
        format!("<script>{audit}</script><script>addEventListener('load', () => {{{MEASURE}}})</script></body>");
    std::fs::write(folder.path().join("page.html"), page.replace("</body>", &script)).unwrap();
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
    let loaded = browser::load(&url, &[&scheme, "--window-size=1500,1000", "--virtual-time-budget=60000"])?;
    let (_, rest) = loaded.document.split_once("<pre>").unwrap_or_else(|| panic!("{}", loaded.document));
    let found = rest.split("</pre>").next().unwrap();
    let found = found.lines().filter(|line| *line != "fine").map(str::to_owned);
    Some(found.chain(loaded.console).collect())
}

#[test]
fn pages_are_readable_on_a_phone_and_a_desk_light_and_dark() {
    let served = Served::new(true);
    let loan = served.get(&served.path("OR-OPEN")).body;
    assert!(loan.contains("<form class=\"decide\""));
    let token = hidden(&loan, "token");
    let record = served.post_to("OR-REFERRED", "record", &format!("token={token}&by=Ada"), &served.own()).body;
    assert!(record.contains("Records behind a reason"));
    let listed = served.get("/loans?state=referred").body;
    for page in [served.get("/loans").body, loan, served.get(&served.path("OR-REFERRED")).body, record, listed] {
        for (width, scheme) in [(420, "light"), (420, "dark"), (800, "dark"), (1400, "light")] {
            let Some(wrong) = wrong(&page, width, scheme) else { return };
            assert_eq!(wrong, [""; 0], "{width} px, {scheme}");
        }
    }
    let wide = "<!doctype html><html lang=en><title>t</title><body><nav></nav><p style='width: 900px'>wide</p></body>";
    assert_eq!(wrong(wide, 420, "light").unwrap().len(), 2);
}
