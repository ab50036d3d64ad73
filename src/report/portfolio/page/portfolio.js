// Numbers by their value, texts by their letters; where there is no number, before all numbers.
const compare = (one, other) => {
  const [left, right] = [one.dataset.value, other.dataset.value];
  if (left !== undefined && right !== undefined) return Number(left) - Number(right);
  if (left !== right) return left === undefined ? -1 : 1;
  return one.textContent.localeCompare(other.textContent, "en", { numeric: true });
};
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const sort = (title, at) => {
    const rising = title.ariaSort !== "ascending";
    for (const other of titles) other.removeAttribute("aria-sort");
    title.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const rows = [...body.rows].sort((one, other) => compare(one.cells[at], other.cells[at]));
    body.append(...(rising ? rows : rows.reverse()));
  };
  titles.forEach((title, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    button.addEventListener("click", () => sort(title, at));
    title.append(button);
  });
}
for (const form of document.querySelectorAll("form.filters")) {
  const rows = [...form.parentElement.querySelectorAll(".flips tbody tr")].map((row) => [row.textContent.toLowerCase(), row]);
  const { text, group } = form.elements;
  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [content, row] of rows) {
      row.hidden = !(words.every((word) => content.includes(word)) && ["", row.dataset.group].includes(group.value));
      shown += row.hidden ? 0 : 1;
    }
    const write = (number) => number.toLocaleString("en");
    form.querySelector("output").value = `${write(shown)} of ${write(rows.length)}`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}
for (const button of document.querySelectorAll("button.copy")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.textContent = "copied";
  });
}
