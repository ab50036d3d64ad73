// Shows what has changed, unless somebody is filling in a form or reading in another window.
"use strict";
const wait = 10000;
const isBusy = () => {
  const live = document.getElementById("live");
  const typed = [...live.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
  return document.hidden || typed || live.contains(document.activeElement) || !getSelection().isCollapsed;
};
const look = async () => {
  if (!isBusy()) {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      const text = answer.ok ? await answer.text() : "";
      const next = new DOMParser().parseFromString(text, "text/html").getElementById("live");
      const live = document.getElementById("live");
      if (next && next.innerHTML !== live.innerHTML && !isBusy()) live.replaceWith(next);
    } catch {
      // The service is away. The next look may find it.
    }
  }
  setTimeout(look, wait);
};
setTimeout(look, wait);
