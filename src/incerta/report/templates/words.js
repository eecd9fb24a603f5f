"use strict";
// Data of the page and looks of clusters, for the pictures and the table.
const { summary, scatter, looks } = JSON.parse(document.getElementById("data").textContent);
const LONGEST = 60;

const cut = (value, longest = LONGEST) => {
  const text = String(value);
  return text.length <= longest ? text : text.slice(0, longest - 1) + "…";
};
// Direction marks would affect the text after them.
const inert = (value, longest) =>
  cut(value, longest).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
const share = (value) =>
  value === null ? "–"
    : value > 0 && value < 0.005 ? "<0.01"
    : value >= 0.995 && value < 1 ? ">0.99"
    : value.toFixed(2);
const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
const titled = (cluster) => (cluster < 0 ? "noise" : `cluster ${cluster}`);
const color = (cluster) =>
  cluster < 0 ? looks.noise_color : looks.colors[cluster % looks.colors.length];
const sign = (cluster) =>
  cluster < 0 ? looks.noise_sign : looks.signs[cluster % looks.signs.length];
const unique = (values) => [...new Set(values)];
// Noise comes last.
const clusters = Object.keys(scatter.sizes).map(Number)
  .sort((a, b) => (a < 0) - (b < 0) || a - b);

const element = (tag, text, className) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};
// The sign of a cluster in its color; its name is written beside it.
const signOf = (cluster) => {
  const mark = element("span", sign(cluster)[0], "sign");
  mark.style.color = color(cluster);
  mark.setAttribute("aria-hidden", "true");
  return mark;
};
