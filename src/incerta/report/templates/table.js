// The table of objects: sorting, filtering, paging, and saving as a file.
const FIRST_ROWS = 25;
const MORE_ROWS = 100;
const columns = summary.objects;
const headings = [...document.querySelectorAll("#table th[data-key]")];
const labels = Object.fromEntries(headings.map((one) => [one.dataset.key, one.textContent.trim()]));
const body = document.querySelector("#table tbody");
const search = document.getElementById("search");
const only = document.getElementById("only");
const differing = document.getElementById("differing");
const count = document.getElementById("count");
const more = document.getElementById("more");
const saved = document.getElementById("saved");
const collator = new Intl.Collator("en", { numeric: true });
const sought = columns.id.map((id) => String(id).toLowerCase());
let order = columns.id.map((_, i) => i);
let found = order;
let nShown = FIRST_ROWS;

const clusterCell = (cluster) => {
  const outer = element("td"), whole = element("span", undefined, "cluster");
  whole.append(signOf(cluster), cluster < 0 ? " noise" : ` ${cluster}`);
  outer.append(whole);
  return outer;
};
const shareCell = (value, className = "number") => element("td", share(value), className);
const makers = {
  id: (i) => {
    const made = element("th", undefined, "name"), button = element("button", undefined, "pick");
    const isolated = element("bdi", cut(columns.id[i]));
    if (String(columns.id[i]).length > LONGEST) isolated.title = String(columns.id[i]);
    made.scope = "row";
    button.type = "button";
    button.title = "Show in the picture";
    button.setAttribute("aria-pressed", String(columns.position[i] === chosen));
    button.append(isolated);
    button.addEventListener("click", () => choose(columns.position[i], false));
    button.dataset.position = columns.position[i];
    made.append(button);
    return made;
  },
  cluster: (i) => clusterCell(columns.cluster[i]),
  confidence: (i) => {
    const made = shareCell(columns.confidence[i], "number bar");
    made.style.setProperty("--share", columns.confidence[i] ?? 0);
    return made;
  },
  runner_up: (i) =>
    columns.runner_up_probability[i] ? clusterCell(columns.runner_up[i]) : element("td", "–"),
  runner_up_probability: (i) => shareCell(columns.runner_up_probability[i] || null),
  label_set: (i) => element("td", columns.label_set[i]),
  noise: (i) => shareCell(columns.noise[i]),
  reliability: (i) => shareCell(columns.reliability[i]),
  k_means: (i) => clusterCell(columns.k_means[i]),
};

const fill = () => {
  // An object chosen in the picture always comes first.
  const first = columns.position.indexOf(pinned);
  const listed = found.filter((i) => i !== first).slice(0, nShown - (first >= 0));
  const rows = [...(first >= 0 ? [first] : []), ...listed].map((i) => {
    const row = element("tr");
    row.setAttribute("role", "row");
    if (columns.position[i] === chosen) row.className = "chosen";
    row.append(...headings.map((heading) => {
      const made = makers[heading.dataset.key](i);
      // On narrow pages rows are cards, and browsers no longer see a table.
      made.setAttribute("role", made.tagName === "TH" ? "rowheader" : "cell");
      made.dataset.label = labels[heading.dataset.key];
      return made;
    }));
    return row;
  });
  body.replaceChildren(...rows);
  const total = columns.id.length.toLocaleString("en");
  count.textContent = `${found.length.toLocaleString("en")} of ${total} objects` +
    (listed.length < found.length - (first >= 0) ? `, the first ${rows.length} below` : "");
  more.hidden = rows.length >= found.length;
};
const filter = () => {
  const wanted = search.value.trim().toLowerCase();
  found = order.filter((i) => sought[i].includes(wanted) &&
    (only.value === "" || columns.cluster[i] === Number(only.value)) &&
    !(differing && differing.checked && columns.cluster[i] === columns.k_means[i]));
  nShown = FIRST_ROWS;
  fill();
};
const compare = (a, b) =>
  a === b ? 0
    : a === null ? -1
    : b === null ? 1
    : typeof a === "number" && typeof b === "number" ? a - b
    : collator.compare(String(a), String(b));
const sortBy = (heading) => {
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  const values = columns[heading.dataset.key];
  for (const one of headings) one.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const way = rising ? 1 : -1;
  order = columns.id.map((_, i) => i).sort((i, j) => way * compare(values[i], values[j]) || i - j);
  filter();
};

// ---- the file ------------------------------------------------------------------------
// Spreadsheets would run texts that begin like this as formulas.
const isFormula = (value) =>
  typeof value === "string" && /^[=+\-@\t\r]/.test(value) && !/^[+-]?\d+(\.\d+)?$/.test(value);
const csvCell = (value) => {
  if (value === null) return "";
  const text = isFormula(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
const csvText = () => {
  const names = ["id", "cluster", "confidence", "runner_up", "runner_up_probability",
    "label_set", "noise", "reliability", "k_means"].filter((name) => name in columns);
  const rows = columns.id.map((_, i) => names.map((name) => csvCell(columns[name][i])).join(","));
  return [names.join(","), ...rows].join("\r\n") + "\r\n";
};
const save = () => {
  // The mark at the start tells spreadsheets that this is UTF-8.
  const address = URL.createObjectURL(new Blob(["\ufeff", csvText()], { type: "text/csv;charset=utf-8" }));
  const link = element("a");
  link.href = address;
  link.download = "objects.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  const formulas = columns.id.filter(isFormula).length;
  saved.textContent = `${counted(columns.id.length, "row")} saved.` + (formulas
    ? ` ${counted(formulas, "name")} that spreadsheets would take for a formula ${formulas === 1 ? "begins" : "begin"} with an apostrophe there.` : "");
};

for (const heading of headings) {
  heading.querySelector("button").addEventListener("click", () => sortBy(heading));
}
search.addEventListener("input", filter);
only.addEventListener("change", filter);
if (differing) differing.addEventListener("change", filter);
more.addEventListener("click", () => { nShown += Math.max(MORE_ROWS, nShown); fill(); });
document.getElementById("save").addEventListener("click", save);
whenChosen.push((position) => {
  const { position: focused } = document.activeElement.dataset;
  fill();
  // The rows are new elements: keep the focus on the same button.
  if (focused !== undefined) body.querySelector(`[data-position="${focused}"]`)?.focus();
  const here = columns.position.indexOf(position), there = scatter.position.indexOf(position);
  const said = here >= 0
    ? [columns.id[here], titled(columns.cluster[here])] : [scatter.id[there], titled(scatter.cluster[there])];
  const lacking = here < 0 ? " It is not in the table." : there < 0 ? " It is not drawn on its own." : "";
  const text = position === null ? "" : `Chosen: ${inert(said[0])}, ${said[1]}.${lacking}`;
  spoken.textContent = text;
  for (const place of document.querySelectorAll(".chosen-object")) {
    place.hidden = position === null;
    place.querySelector("bdi").textContent = text;
  }
});
fill();

// ---- drawing, now and whenever the width of the page changes ---------------------------
const drawAll = () => {
  hideTip();
  drawScatter();
  for (const [id, draw] of Object.entries(figures)) {
    const place = document.getElementById(id);
    if (place) draw(place);
  }
  document.documentElement.dataset.drawn = String(document.documentElement.clientWidth);
};
let waiting = false;
const soon = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawAll(); });
};
addEventListener("beforeprint", drawAll);
new ResizeObserver(soon).observe(document.querySelector("main"));
drawAll();
