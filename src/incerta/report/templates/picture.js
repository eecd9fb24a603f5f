// The scatter plot: every object, or cells with counts and the least certain objects.
const picture = document.getElementById("scatter");
const axisX = document.getElementById("axis-x");
const axisY = document.getElementById("axis-y");
const withEllipses = document.getElementById("ellipses");
const legend = document.getElementById("legend");
const spoken = document.getElementById("spoken");
const hidden = new Set();
// Search from the least certain object on, which lies on top.
const byCertainty = scatter.id.map((_, i) => scatter.id.length - 1 - i);
let view = null;      // [x range, y range] if zoomed in
let drawnPicture = null;
let pointed = null;   // the object selected by keyboard

const isUnsure = (i) => known(scatter.confidence[i]) && scatter.confidence[i] < scatter.threshold;
const told = (i) => [
  String(scatter.id[i]), titled(scatter.cluster[i]),
  ...(known(scatter.confidence[i]) ? [`confidence ${share(scatter.confidence[i])}`] : []),
];

// With more objects, symbols are smaller and more transparent.
const looksOf = (n, width, height) => {
  const room = Math.sqrt((width * height) / 450000);
  const radius = Math.min(4.5, Math.max(1.8, 4.5 * (300 / Math.max(n, 1)) ** 0.28 * Math.max(room, 0.75)));
  const opacity = Math.min(1, Math.max(0.5, 1.1 - 0.18 * Math.log(Math.max(n, 1) / 100)));
  return { radius, opacity };
};

// The ellipse of one standard deviation: the Cholesky factor of the covariance maps the
// unit circle onto it.
const circle = Array.from({ length: 33 }, (_, i) => {
  const angle = (2 * Math.PI * i) / 32;
  return [Math.cos(angle), Math.sin(angle)];
});
const covariance = (a, b) => scatter.covariances[a <= b ? `${a},${b}` : `${b},${a}`];
const ellipse = (i, a, b) => {
  const at = i - (scatter.id.length - scatter.n_ellipses);
  const [x, y] = [scatter.values[a][i], scatter.values[b][i]];
  const [xx, xy, yy] = [covariance(a, a), covariance(a, b), covariance(b, b)]
    .map((values) => (values ? values[at] : 0));
  if (at < 0 || ![x, y, xx, xy, yy].every(known)) return null;
  const first = Math.sqrt(Math.max(xx, 0)), mixed = first > 0 ? xy / first : 0;
  const second = Math.sqrt(Math.max(yy - mixed * mixed, 0));
  if (first === 0 && second === 0) return null;
  return circle.map(([c, s]) => [x + first * c, y + mixed * c + second * s]);
};
const ellipsesOf = (a, b) => scatter.id.flatMap((_, i) => {
  const points = hidden.has(scatter.cluster[i]) ? null : ellipse(i, a, b);
  return points === null ? [] : [{ cluster: scatter.cluster[i], points }];
});

// Cells of a pair of axes: positions, and counts of the clusters that are shown.
const cellsOf = (a, b) => {
  const { columns, rows, ranges, cells } = scatter.grid;
  const [first, second] = a <= b ? [a, b] : [b, a];
  const [places, owners, counts] = cells[`${first},${second}`] || [[], [], []];
  const side = (axis, at, n) => {
    const [low, high] = ranges[axis], width = (high > low ? high - low : 1) / n;
    return [low + at * width, low + (at + 1) * width];
  };
  const found = new Map();
  places.forEach((place, i) => {
    if (hidden.has(owners[i])) return;
    if (!found.has(place)) {
      const across = side(first, Math.floor(place / rows), columns);
      const up = side(second, place % rows, rows);
      const [x, y] = a <= b ? [across, up] : [up, across];
      found.set(place, { x, y, n: 0, of: [] });
    }
    const cell = found.get(place);
    cell.n += counts[i];
    cell.of.push([owners[i], counts[i]]);
  });
  for (const cell of found.values()) cell.of.sort((one, other) => other[1] - one[1]);
  return [...found.values()];
};

const drawCells = (drawn, cells) => {
  const most = Math.log(1 + Math.max(1, ...cells.map((cell) => cell.n)));
  return cells.map((cell) => {
    const [x0, x1] = cell.x.map(drawn.x), [y1, y0] = cell.y.map(drawn.y);
    drawn.marks.append(make("rect", {
      x: round(x0), y: round(y0), width: round(x1 - x0), height: round(y1 - y0), class: "cell",
      fill: color(cell.of[0][0]), opacity: round(0.12 + 0.78 * (Math.log(1 + cell.n) / most)),
    }));
    const lines = [counted(cell.n, "object"), ...cell.of.slice(0, 6).map(([owner, n]) => `${titled(owner)}: ${n.toLocaleString("en")}`)];
    return { x0, x1, y0, y1, x: (x0 + x1) / 2, y: y0, lines };
  });
};

const drawEllipses = (drawn, ellipses) => {
  const crowded = Math.min(1, 120 / Math.max(ellipses.length, 1));
  for (const cluster of clusters) {
    const d = ellipses.filter((one) => one.cluster === cluster).map((one) =>
      "M" + one.points.map(([x, y]) => `${round(drawn.x(x))} ${round(drawn.y(y))}`).join("L") + "Z").join("");
    if (d) {
      drawn.marks.append(make("path", {
        d, class: "ellipses", fill: color(cluster), stroke: color(cluster),
        "fill-opacity": round(0.04 + 0.08 * crowded), "stroke-opacity": round(0.2 + 0.4 * crowded),
      }));
    }
  }
};

// Position and rotation of an arrow at the border, for objects beyond it.
const atBorder = ({ left, right, top, bottom }, x, y) => {
  if (x >= left && x <= right && y >= top && y <= bottom) return null;
  const turn = x < left ? 2.25 : x > right ? 0.75 : y < top ? 0 : 1.5;
  return {
    x: Math.min(Math.max(x, left + 5), right - 5), y: Math.min(Math.max(y, top + 5), bottom - 5), turn,
  };
};

const drawScatter = () => {
  const a = Number(axisX.value), b = Number(axisY.value);
  const cells = scatter.grid && a !== b ? cellsOf(a, b) : [];
  const ellipses = withEllipses !== null && withEllipses.checked ? ellipsesOf(a, b) : [];
  const ranges = view || [a, b].map((axis) => extent(scatter.limits[axis]));
  const drawn = frame(picture,
    { range: ranges[0], title: scatter.axes[a] }, { range: ranges[1], title: scatter.axes[b] });
  const squares = drawCells(drawn, cells);
  drawEllipses(drawn, ellipses);
  const { radius, opacity } = looksOf(scatter.id.length, picture.clientWidth, picture.clientHeight);
  const outlined = scatter.id.length <= 600;
  const points = [];
  let far = 0;
  scatter.id.forEach((_, i) => {
    const x = scatter.values[a][i], y = scatter.values[b][i];
    if (!known(x) || !known(y) || hidden.has(scatter.cluster[i])) return;
    const at = { x: drawn.x(x), y: drawn.y(y) };
    const arrow = view ? null : atBorder(drawn.area, at.x, at.y);
    const point = { i, lines: told(i), ...(arrow || at) };
    points.push(point);
    if (arrow) {
      far += 1;
      drawn.marks.append(make("path", {
        d: polygon(arrow.x, arrow.y, 5, 3, arrow.turn), class: "object", fill: color(scatter.cluster[i]),
      }));
    } else drawn.marks.append(mark(sign(scatter.cluster[i])[1], point.x, point.y, radius, {
      ...(isUnsure(i) && { "stroke-width": round(Math.max(0.6, 0.3 * radius)) }),
      class: isUnsure(i) ? "object unsure" : outlined ? "object outlined" : "object",
      fill: color(scatter.cluster[i]),
      "fill-opacity": round(opacity * (0.35 + 0.65 * (scatter.confidence[i] ?? 1))),
    }));
  });
  drawnPicture = { ...drawn, a, b, ranges, points, squares, ellipses };
  ring();
  const missing = scatter.grid
    ? scatter.grid.without[a <= b ? `${a},${b}` : `${b},${a}`] || 0
    : scatter.id.filter((_, i) => !known(scatter.values[a][i]) || !known(scatter.values[b][i])).length;
  document.getElementById("without").textContent =
    (missing ? `${counted(missing, "object")} without a value here ${missing === 1 ? "is" : "are"} not drawn. ` : "") +
    (far ? `${counted(far, "object")} ${far === 1 ? "lies" : "lie"} outside: see the arrows. ` : "");
  picture.setAttribute("aria-label",
    `Scatter plot of ${cut(scatter.axes[b], 40)} against ${cut(scatter.axes[a], 40)}, ` +
    `${counted(scatter.n_objects, "object")} colored by cluster. The table of objects below holds the same objects. ` +
    "Arrow keys go from object to object, the least certain first; Enter chooses one in the table; plus, minus and 0 zoom.");
};

// The chosen object, here and in the table, has a ring around it.
let chosen = null;    // position in the data
let pinned = null;    // the same if it was chosen here: its row comes first
const whenChosen = [];
const choose = (position, pin) => {
  chosen = chosen === position ? null : position;
  pinned = pin ? chosen : null;
  ring();
  for (const listener of whenChosen) listener(chosen);
};
const ring = () => {
  if (!drawnPicture) return;
  for (const old of drawnPicture.marks.querySelectorAll(".ring")) old.remove();
  const point = drawnPicture.points.find((one) => scatter.position[one.i] === chosen);
  if (point) drawnPicture.marks.append(make("circle", { class: "ring", cx: round(point.x), cy: round(point.y), r: 10 }));
};

// ---- zooming: around the middle, into a box, and back --------------------------------
const zoom = (times) => {
  view = drawnPicture.ranges.map(([low, high]) => {
    const middle = (low + high) / 2, half = ((high - low) / 2) * times;
    return [middle - half, middle + half];
  });
  drawScatter();
};
const reset = () => { view = null; drawScatter(); };
const under = (x, y) => nearest(drawnPicture.points, x, y, 16) ||
  drawnPicture.squares.find((one) => x >= one.x0 && x <= one.x1 && y >= one.y0 && y <= one.y1);
let from = null, box = null;
picture.addEventListener("pointerdown", (event) => {
  if (event.button === 0) from = inPixels(picture, event);
});
picture.addEventListener("pointermove", (event) => {
  const [x, y] = inPixels(picture, event);
  // A finger scrolls the page; buttons zoom.
  const dragging = from && event.pointerType !== "touch" && Math.hypot(x - from[0], y - from[1]) > 6;
  if (!dragging) {
    const found = under(x, y);
    if (found) showTip(picture, found.x, found.y, found.lines); else hideTip();
    return;
  }
  hideTip();
  if (!box) { box = make("rect", { class: "box" }); drawnPicture.marks.append(box); picture.setPointerCapture(event.pointerId); }
  const sides = { x: Math.min(x, from[0]), y: Math.min(y, from[1]), width: Math.abs(x - from[0]), height: Math.abs(y - from[1]) };
  for (const [name, value] of Object.entries(sides)) box.setAttribute(name, round(value));
});
picture.addEventListener("pointerup", (event) => {
  const [x, y] = inPixels(picture, event);
  if (box && from) {
    const { x: toX, y: toY } = drawnPicture;
    const sorted = (one, other) => [Math.min(one, other), Math.max(one, other)];
    const ranges = [sorted(toX.back(from[0]), toX.back(x)), sorted(toY.back(from[1]), toY.back(y))];
    if (ranges.every(([low, high]) => high > low)) view = ranges;
    drawScatter();
  } else if (from) {
    const found = nearest(drawnPicture.points, x, y, 16);
    if (found) choose(scatter.position[found.i], true);
  }
  from = box = null;
});
picture.addEventListener("pointercancel", () => { from = box = null; drawScatter(); });
picture.addEventListener("pointerleave", hideTip);
picture.addEventListener("dblclick", reset);

// ---- the keyboard --------------------------------------------------------------------
const step = (by) => {
  const there = new Map(drawnPicture.points.map((point) => [point.i, point]));
  const shown = byCertainty.filter((i) => there.has(i));
  if (shown.length === 0) return;
  const at = shown.indexOf(pointed);
  pointed = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length];
  const point = there.get(pointed);
  showTip(picture, point.x, point.y, point.lines);
  spoken.textContent = inert(point.lines.map((text) => cut(text)).join(", "), 200);
};
const keys = {
  ArrowRight: () => step(1), ArrowDown: () => step(1),
  ArrowLeft: () => step(-1), ArrowUp: () => step(-1),
  Enter: () => pointed !== null && choose(scatter.position[pointed], true),
  Escape: () => { pointed = null; hideTip(); },
  "+": () => zoom(0.7), "-": () => zoom(1 / 0.7), 0: reset,
};
picture.addEventListener("keydown", (event) => {
  if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});
picture.addEventListener("blur", hideTip);

// ---- controls and legend -------------------------------------------------------------
for (const control of [axisX, axisY]) {
  control.addEventListener("change", () => { view = null; drawScatter(); });
}
if (withEllipses) withEllipses.addEventListener("change", drawScatter);
document.getElementById("reset").addEventListener("click", reset);
document.getElementById("closer").addEventListener("click", () => zoom(0.7));
document.getElementById("farther").addEventListener("click", () => zoom(1 / 0.7));
for (const cluster of clusters) {
  const button = element("button");
  button.type = "button";
  button.setAttribute("aria-pressed", "true");
  button.append(signOf(cluster), ` ${titled(cluster)} `, element("small", scatter.sizes[cluster].toLocaleString("en")));
  button.addEventListener("click", () => {
    if (!hidden.delete(cluster)) hidden.add(cluster);
    button.setAttribute("aria-pressed", String(!hidden.has(cluster)));
    drawScatter();
  });
  legend.append(button);
}
