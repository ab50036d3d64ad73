// Polls for changes once per second and replaces the page's content, except while the user is typing.
(() => {
  let seen = document.body.dataset.version;
  const look = async () => {
    const live = document.querySelector("#live");
    if (!document.querySelector("[data-live]") || live.querySelector("input:focus, textarea:focus, select:focus")) return;
    const version = await (await fetch("/sandbox/version")).text();
    if (version === seen) return;
    const text = await (await fetch(location.href)).text();
    const next = new DOMParser().parseFromString(text, "text/html").querySelector("#live");
    const open = [...live.querySelectorAll("details[open]")].map((one) => one.id);
    next.querySelectorAll("details").forEach((one) => { one.open = open.includes(one.id); });
    live.replaceWith(next);
    seen = version;
  };
  setInterval(() => look().catch(() => {}), 1000);
})();
