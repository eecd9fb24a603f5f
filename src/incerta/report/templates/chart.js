// A small drawing library: axes, marks and a tip, as SVG. The style sheet sets the
// colors, so they change with the theme, and for print.
const make = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const known = (value) => value !== null && value !== undefined;
const round = (value) => Math.round(value * 100) / 100;

// Lowest and highest value, with a margin; also without values.
const extent = (values, room = 0.04) => {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (!known(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  if (low === high) return [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  return [low - room * (high - low), high + room * (high - low)];
};
const scale = ([low, high], from, to) => {
  const map = (value) => from + ((value - low) / (high - low)) * (to - from);
  map.back = (place) => low + ((place - from) / (to - from)) * (high - low);
  return map;
};

// Ticks at 1, 2 or 5 times a power of ten, and their labels.
const ticksOf = ([low, high], most, whole) => {
  const rough = Math.max((high - low) / Math.max(most, 1), whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.7);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) {
    ticks.push(i * step);
    if (ticks.length > 100) break;  // steps below the last digit
  }
  return { ticks, step };
};
const written = (value, step, size) => {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const precise = Math.min(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)), 15);
  const text = Math.abs(value) < 1e-9 * step ? "0" : size >= 1e7 || size < 1e-4
    ? value.toExponential(precise)
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return text.replace(/-/g, "−");
};

// Axes in an element. `x` and `y` have a range and may have a title, ticks (false, or a
// list of them), and whole, if ticks are whole numbers.
const frame = (place, x, y, label) => {
  const width = Math.max(place.clientWidth, 120), height = Math.max(place.clientHeight, 120);
  const listed = (axis, most) => {
    if (axis.ticks === false) return [];
    const { ticks, step } = ticksOf(axis.range, most, axis.whole);
    const size = Math.max(...axis.range.map(Math.abs));
    return Array.isArray(axis.ticks)
      ? axis.ticks.map((value) => [value, String(value)])
      : ticks.map((value) => [value, written(value, step, size)]);
  };
  const rising = listed(y, Math.max(2, height / 55));
  const longest = Math.max(0, ...rising.map(([, text]) => text.length));
  const area = {
    left: (y.title ? 24 : 4) + (rising.length ? 7.5 * longest + 8 : 8), top: 10,
    right: width - 14, bottom: height - (x.title ? 24 : 4) - (x.ticks === false ? 4 : 20),
  };
  const [toX, toY] = [scale(x.range, area.left, area.right), scale(y.range, area.bottom, area.top)];
  let across = listed(x, Math.max(3, (area.right - area.left) / 80));
  // If texts overlap, keep every second one, or fewer.
  const widest = 7.5 * Math.max(0, ...across.map(([, text]) => text.length)) + 10;
  const apart = across.length > 1 ? toX(across[1][0]) - toX(across[0][0]) : widest;
  across = across.filter((_, i) => i % Math.ceil(widest / apart) === 0);
  const lines = make("g", { class: "lines" }), texts = make("g", { class: "ticks" });
  const text = (value, attributes) => make("text", attributes, inert(value, 40));
  for (const [value, said] of across) {
    lines.append(make("path", { d: `M${round(toX(value))} ${area.top}V${area.bottom}` }));
    texts.append(text(said, { x: round(toX(value)), y: area.bottom + 17, "text-anchor": "middle", class: "x" }));
  }
  for (const [value, said] of rising) {
    lines.append(make("path", { d: `M${area.left} ${round(toY(value))}H${area.right}` }));
    texts.append(text(said, { x: area.left - 7, y: round(toY(value)) + 4, "text-anchor": "end", class: "y" }));
  }
  if (x.title) {
    texts.append(text(x.title, { x: (area.left + area.right) / 2, y: height - 6, "text-anchor": "middle", class: "title" }));
  }
  if (y.title) {
    const middle = (area.top + area.bottom) / 2;
    texts.append(text(y.title, { transform: `translate(14 ${middle}) rotate(-90)`, "text-anchor": "middle", class: "title" }));
  }
  const clip = `inside-${place.id}`;
  const inside = make("rect", {
    x: area.left - 1, y: area.top - 1,
    width: Math.max(area.right - area.left, 0) + 2, height: Math.max(area.bottom - area.top, 0) + 2,
  });
  const marks = make("g", { class: "marks", "clip-path": `url(#${clip})` });
  const axes = make("path", { class: "axes", d: `M${area.left} ${area.top}V${area.bottom}H${area.right}` });
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    make("defs", {}, make("clipPath", { id: clip }, inside)), lines, marks, axes, texts);
  place.replaceChildren(svg);
  if (label) place.setAttribute("aria-label", label);
  return { place, svg, marks, area, x: toX, y: toY };
};

// The outline of a sign around (x, y); all cover about the same area.
const polygon = (x, y, radius, n, turn) =>
  "M" + Array.from({ length: n }, (_, i) => {
    const angle = (2 * Math.PI * (i + turn)) / n - Math.PI / 2;
    return `${round(x + radius * Math.cos(angle))} ${round(y + radius * Math.sin(angle))}`;
  }).join("L") + "Z";
const crossed = (x, y, r, turn) => {
  const thin = 0.38 * r, c = Math.cos(turn), s = Math.sin(turn);
  const corners = [[-thin, -r], [thin, -r], [thin, -thin], [r, -thin], [r, thin], [thin, thin],
    [thin, r], [-thin, r], [-thin, thin], [-r, thin], [-r, -thin], [-thin, -thin]];
  return "M" + corners.map(([a, b]) => `${round(x + a * c - b * s)} ${round(y + a * s + b * c)}`).join("L") + "Z";
};
const outlines = {
  circle: (x, y, r) => `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: (x, y, r) => polygon(x, y, 1.25 * r, 4, 0.5),
  diamond: (x, y, r) => polygon(x, y, 1.25 * r, 4, 0),
  "triangle-up": (x, y, r) => polygon(x, y, 1.35 * r, 3, 0),
  "triangle-down": (x, y, r) => polygon(x, y, 1.35 * r, 3, 0.5),
  cross: (x, y, r) => crossed(x, y, 1.25 * r, 0),
  pentagon: (x, y, r) => polygon(x, y, 1.15 * r, 5, 0),
  x: (x, y, r) => crossed(x, y, 1.25 * r, Math.PI / 4),
};
const mark = (kind, x, y, radius, attributes) =>
  make("path", { d: outlines[kind](x, y, round(radius)), ...attributes });
const line = (drawn, xs, ys, attributes) => {
  const d = xs.map((x, i) => (known(ys[i]) ? `${i && known(ys[i - 1]) ? "L" : "M"}${round(drawn.x(x))} ${round(drawn.y(ys[i]))}` : "")).join("");
  drawn.marks.append(make("path", { d, fill: "none", ...attributes }));
};

// One tip for the page: beside the pointer, and always inside the window.
const tip = element("div", undefined, "tip");
tip.hidden = true;
document.body.append(tip);
const showTip = (place, x, y, lines) => {
  tip.replaceChildren(...lines.map((text, i) => {
    const row = element("div"), isolated = element("bdi", inert(text, 200));
    if (i === 0 && lines.length > 1) row.className = "first";
    row.append(isolated);
    return row;
  }));
  tip.hidden = false;
  const box = place.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.min(box.left + x + 14, document.documentElement.clientWidth - size.width - 4);
  const above = box.top + y - size.height - 10;
  tip.style.left = `${Math.max(left, 4) + scrollX}px`;
  tip.style.top = `${(above < 4 ? box.top + y + 18 : above) + scrollY}px`;
};
const hideTip = () => { tip.hidden = true; };

// The nearest of items {x, y, lines} to a place in pixels; by x alone for bars.
const nearest = (items, x, y, within = 24, byX = false) => {
  let found = null, least = within * within;
  for (const item of items) {
    const apart = (item.x - x) ** 2 + (byX ? 0 : (item.y - y) ** 2);
    if (apart <= least) { least = apart; found = item; }
  }
  return found;
};
const inPixels = (place, event) => {
  const box = place.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
const hoverable = (drawn, items, within, byX) => {
  drawn.svg.addEventListener("pointermove", (event) => {
    const found = nearest(items, ...inPixels(drawn.place, event), within, byX);
    if (found) showTip(drawn.place, found.x, found.y, found.lines); else hideTip();
  });
  drawn.svg.addEventListener("pointerleave", hideTip);
};
