for (const article of document.querySelectorAll("article")) {
  const marks = new Map();
  // A record has a mark in the wide chart and one in the narrow.
  for (const mark of article.querySelectorAll(".mark")) marks.set(mark.dataset.row, [...(marks.get(mark.dataset.row) ?? []), mark]);
  const buttons = article.querySelectorAll("button[data-rows]");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const chosen = button.ariaPressed !== "true";
      for (const other of buttons) other.ariaPressed = chosen && other === button;
      const rows = new Set(chosen ? button.dataset.rows.split(" ") : []);
      for (const [row, both] of marks) for (const mark of both) mark.classList.toggle("on", rows.has(row));
    });
  }
  const light = (event, lit) => {
    const row = event.target.closest("[data-row]")?.dataset.row;
    if (row === undefined) return;
    for (const mark of marks.get(row) ?? []) mark.classList.toggle("lit", lit);
    for (const line of article.querySelectorAll(`tr[data-row="${row}"]`)) line.classList.toggle("lit", lit);
  };
  article.addEventListener("mouseover", (event) => light(event, true));
  article.addEventListener("mouseout", (event) => light(event, false));
}
