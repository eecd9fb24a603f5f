"use strict";
(() => {
  const { summary, scatter, looks } = JSON.parse(document.getElementById("data").textContent);
  const FIRST_ROWS = 25;
  const MORE_ROWS = 100;
  const LONGEST = 60;
  // Longer legends leave no room for the picture; pointing at a sign names its cluster.
  const MOST_IN_LEGEND = { narrow: 8, wide: 30 };

  // ---- words and looks -------------------------------------------------------------
  const cut = (value, longest = LONGEST) => {
    const text = String(value);
    return text.length <= longest ? text : text.slice(0, longest - 1) + "…";
  };
  // Plotly reads tags and entities in its texts, and marks of direction would turn what
  // comes after them: the first are escaped, the second replaced, and all is isolated.
  const inert = (value, longest) =>
    "\u2068" +
    cut(value, longest)
      .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
      .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;") +
    "\u2069";
  const share = (value) =>
    value === null ? "–"
      : value > 0 && value < 0.005 ? "<0.01"
      : value >= 0.995 && value < 1 ? ">0.99"
      : value.toFixed(2);
  const titled = (cluster) => (cluster < 0 ? "noise" : `cluster ${cluster}`);
  const colour = (cluster) =>
    cluster < 0 ? looks.noise_colour : looks.colours[cluster % looks.colours.length];
  const sign = (cluster) =>
    cluster < 0 ? looks.noise_sign : looks.signs[cluster % looks.signs.length];
  const unique = (values) => [...new Set(values)];
  // Noise comes last.
  const clusters = unique(scatter.cluster).sort((a, b) => (a < 0) - (b < 0) || a - b);

  // ---- pictures --------------------------------------------------------------------
  const css = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const touch = matchMedia("(pointer: coarse)").matches;

  const base = (x, y, more = {}) => {
    const axis = (title) => ({
      title: { text: title, standoff: 10 }, automargin: true, zeroline: false,
      gridcolor: css("--line"), linecolor: css("--control"), showline: true,
    });
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 13, color: css("--text") },
      margin: { l: 60, r: 10, t: 10, b: 50 },
      xaxis: axis(x), yaxis: axis(y), showlegend: false, dragmode: touch ? false : "zoom",
      hoverlabel: {
        bgcolor: css("--surface"), bordercolor: css("--control"), align: "left",
        font: { color: css("--text") },
      },
      ...more,
    };
  };

  const draw = (id, traces, layout) => {
    const place = document.getElementById(id);
    if (!place) return;
    Plotly.react(place, traces, layout, { responsive: true, displayModeBar: false });
  };

  // Points of the ellipse of one standard deviation: the Cholesky factor of the
  // covariance maps the unit circle onto it.
  const circle = Array.from({ length: 33 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 32;
    return [Math.cos(angle), Math.sin(angle)];
  });
  const covariance = (a, b) => {
    const found = scatter.covariances[a <= b ? `${a},${b}` : `${b},${a}`];
    return found || scatter.id.map(() => 0);
  };
  const ellipse = (i, x, y, xx, xy, yy) => {
    if ([x[i], y[i], xx[i], xy[i], yy[i]].some((value) => value === null)) return null;
    const first = Math.sqrt(Math.max(xx[i], 0));
    const mixed = first > 0 ? xy[i] / first : 0;
    const second = Math.sqrt(Math.max(yy[i] - mixed * mixed, 0));
    if (first === 0 && second === 0) return null;
    return circle.map(([c, s]) => [x[i] + first * c, y[i] + mixed * c + second * s]);
  };

  const axisX = document.getElementById("axis-x");
  const axisY = document.getElementById("axis-y");
  const withEllipses = document.getElementById("ellipses");

  const drawScatter = () => {
    const a = Number(axisX.value), b = Number(axisY.value);
    const x = scatter.values[a], y = scatter.values[b];
    const xx = covariance(a, a), xy = covariance(a, b), yy = covariance(b, b);
    const step = Math.ceil(scatter.id.length / Math.max(scatter.n_ellipses, 1));
    const shown = withEllipses !== null && withEllipses.checked;
    const outlines = [], points = [];
    for (const cluster of clusters) {
      const members = scatter.id.map((_, i) => i).filter((i) => scatter.cluster[i] === cluster);
      const all = members.filter((i) => shown && i % step === 0)
        .map((i) => ellipse(i, x, y, xx, xy, yy)).filter((one) => one !== null);
      outlines.push({
        type: "scatter", mode: "lines", fill: "toself", hoverinfo: "skip",
        x: all.flatMap((one) => [...one.map((p) => p[0]), null]),
        y: all.flatMap((one) => [...one.map((p) => p[1]), null]),
        line: { color: colour(cluster), width: 0.8 }, opacity: 0.5,
        fillcolor: colour(cluster) + "1f", legendgroup: String(cluster), showlegend: false,
      });
      points.push({
        type: "scatter", mode: "markers", name: titled(cluster),
        legendgroup: String(cluster), hoverinfo: "text",
        x: members.map((i) => x[i]), y: members.map((i) => y[i]),
        hovertext: members.map((i) =>
          `<b>${inert(scatter.id[i])}</b><br>${titled(cluster)}` +
          `<br>confidence ${inert(share(scatter.confidence[i]))}`),
        marker: {
          color: colour(cluster), symbol: sign(cluster)[1], size: 9,
          opacity: members.map((i) => 0.25 + 0.75 * (scatter.confidence[i] ?? 1)),
          line: { width: 0.8, color: css("--text") },
        },
      });
    }
    const narrow = matchMedia("(max-width: 40rem)").matches;
    const legend = clusters.length <= MOST_IN_LEGEND[narrow ? "narrow" : "wide"];
    document.getElementById("legend-hint").hidden = !legend;
    draw("scatter", [...outlines, ...points], base(
      inert(scatter.axes[a], 40), inert(scatter.axes[b], 40),
      {
        showlegend: legend, hovermode: "closest",
        legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", itemsizing: "constant" },
      },
    ));
    document.getElementById("scatter").setAttribute("aria-label",
      `Scatter plot of ${cut(scatter.axes[b], 40)} against ${cut(scatter.axes[a], 40)}, ` +
      `${scatter.id.length} objects coloured by cluster. The table of objects below ` +
      "holds the same objects.");
  };

  const drawOthers = () => {
    const counts = summary.confidence.histogram;
    const width = 1 / counts.length;
    draw("confidence", [{
      type: "bar", x: counts.map((_, i) => (i + 0.5) * width), y: counts, width,
      marker: {
        color: counts.map((_, i) =>
          (i + 1) * width <= summary.confidence.threshold + 1e-9 ? looks.colours[1] : looks.colours[0]),
        line: { width: 1, color: css("--surface") },
      },
      hoverinfo: "text",
      hovertext: counts.map((n, i) =>
        `${(i * width).toFixed(2)} to ${((i + 1) * width).toFixed(2)}: ${n}`),
    }], base("confidence", "objects", {
      xaxis: { ...base("confidence", "").xaxis, range: [0, 1] },
    }));

    const worlds = summary.worlds;
    if (worlds && worlds.map) {
      const { x, y, kept } = worlds.map;
      draw("world-map", [
        {
          type: "scatter", mode: "markers", x, y, hoverinfo: "text",
          hovertext: x.map((_, i) => `world ${i}`),
          marker: { color: looks.noise_colour, size: 7, opacity: 0.7 },
        },
        {
          type: "scatter", mode: "markers+text", hoverinfo: "text",
          x: kept.map((i) => x[i]), y: kept.map((i) => y[i]),
          text: kept.map((_, i) => String(i + 1)), textposition: "top center", cliponaxis: false,
          hovertext: kept.map((i, at) =>
            `world ${i}, choice ${at + 1}<br>stands for ${worlds.representatives[at].stands_for}`),
          marker: { color: looks.colours[5], size: 11, symbol: "diamond", line: { width: 1, color: css("--text") } },
        },
      ], base("", "", {
        hovermode: "closest",
        xaxis: { ...base("", "").xaxis, showticklabels: false },
        yaxis: { ...base("", "").yaxis, showticklabels: false, scaleanchor: "x" },
        margin: { l: 15, r: 15, t: 25, b: 15 },
      }));
    } else if (worlds) {
      draw("agreement", [{
        type: "scatter", mode: "markers", y: worlds.agreement, hoverinfo: "text",
        hovertext: worlds.agreement.map((value, i) => `world ${i}: ${inert(share(value))}`),
        marker: { color: looks.colours[0], size: 7 },
      }], base("world", "agreement", {
        yaxis: { ...base("", "agreement").yaxis, range: [-0.03, 1.03] },
      }));
    }

    const choice = summary.choice;
    if (choice) {
      const band = { type: "scatter", mode: "lines", x: choice.tried, line: { width: 0 }, hoverinfo: "skip", showlegend: false };
      draw("choice", [
        { ...band, y: choice.reference_low },
        { ...band, y: choice.reference_high, fill: "tonexty", fillcolor: looks.noise_colour + "59", name: "references", showlegend: true },
        {
          type: "scatter", mode: "lines+markers", x: choice.tried, y: choice.gain,
          name: "data", line: { color: looks.colours[0] }, marker: { size: 8 },
          hoverinfo: "text",
          hovertext: choice.gain.map((value, i) => `${choice.tried[i]} clusters: ${inert(value === null ? "–" : value.toFixed(3))}`),
        },
      ], base("number of clusters", "gain over the smallest number", {
        showlegend: true, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
        xaxis: { ...base("number of clusters", "").xaxis, tickvals: choice.tried },
        shapes: [{
          type: "line", x0: choice.k, x1: choice.k, y0: 0, y1: 1, yref: "paper",
          line: { color: css("--soft"), dash: "dot" },
        }],
      }));
    }

    if (summary.objective) {
      draw("objective", [{
        type: "scatter", mode: "lines+markers", y: summary.objective,
        x: summary.objective.map((_, i) => i + 1), line: { color: looks.colours[0] },
        hoverinfo: "x+y",
      }], base("step", "objective"));
    }

    const reached = summary.reachability;
    if (reached) {
      const cutLine = reached.cut === null ? [] : [{
        type: "line", xref: "paper", x0: 0, x1: 1, y0: reached.cut, y1: reached.cut,
        line: { color: css("--soft"), dash: "dot" },
      }];
      draw("reachability", unique(reached.cluster).map((cluster) => ({
        type: "bar", name: titled(cluster), width: 1, hoverinfo: "name+y",
        x: reached.cluster.flatMap((one, i) => (one === cluster ? [i] : [])),
        y: reached.reachability.filter((_, i) => reached.cluster[i] === cluster),
        marker: { color: colour(cluster), line: { width: 0 } },
      })), base("objects in order", "reachability", { shapes: cutLine }));
    }
  };

  const drawAll = () => { drawScatter(); drawOthers(); };
  for (const control of [axisX, axisY, withEllipses]) {
    if (control) control.addEventListener("change", drawScatter);
  }
  document.getElementById("reset").addEventListener("click", () => {
    Plotly.relayout("scatter", { "xaxis.autorange": true, "yaxis.autorange": true });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  drawAll();

  // ---- the table of objects --------------------------------------------------------
  const columns = summary.objects;
  const headings = [...document.querySelectorAll("#table th[data-key]")];
  const body = document.querySelector("#table tbody");
  const search = document.getElementById("search");
  const only = document.getElementById("only");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  const collator = new Intl.Collator("en", { numeric: true });
  const sought = columns.id.map((id) => String(id).toLowerCase());
  let order = columns.id.map((_, i) => i);
  let found = order;
  let nShown = FIRST_ROWS;

  const cell = (tag, text) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const clusterCell = (cluster) => {
    const outer = cell("td"), whole = cell("span"), mark = cell("span", sign(cluster)[0]);
    whole.className = "cluster";
    mark.className = "sign";
    mark.style.color = colour(cluster);
    mark.setAttribute("aria-hidden", "true");
    whole.append(mark, cluster < 0 ? " noise" : ` ${cluster}`);
    outer.append(whole);
    return outer;
  };
  const makers = {
    id: (i) => {
      const made = cell("th"), isolated = cell("bdi", cut(columns.id[i]));
      if (String(columns.id[i]).length > LONGEST) isolated.title = String(columns.id[i]);
      made.scope = "row";
      made.className = "name";
      made.append(isolated);
      return made;
    },
    cluster: (i) => clusterCell(columns.cluster[i]),
    confidence: (i) => {
      const made = cell("td", share(columns.confidence[i]));
      made.className = "number bar";
      made.style.setProperty("--share", columns.confidence[i] ?? 0);
      return made;
    },
    runner_up: (i) =>
      columns.runner_up_probability[i] ? clusterCell(columns.runner_up[i]) : cell("td", "–"),
    runner_up_probability: (i) => {
      const value = columns.runner_up_probability[i];
      const made = cell("td", value ? share(value) : "–");
      made.className = "number";
      return made;
    },
    label_set: (i) => cell("td", columns.label_set[i]),
    noise: (i) => {
      const made = cell("td", share(columns.noise[i]));
      made.className = "number";
      return made;
    },
    reliability: (i) => {
      const made = cell("td", share(columns.reliability[i]));
      made.className = "number";
      return made;
    },
  };
  const keys = headings.map((heading) => heading.dataset.key);

  const fill = () => {
    const rows = found.slice(0, nShown).map((i) => {
      const row = cell("tr");
      row.append(...keys.map((key) => makers[key](i)));
      return row;
    });
    body.replaceChildren(...rows);
    const matching = found.length.toLocaleString("en");
    const total = columns.id.length.toLocaleString("en");
    count.textContent = `${matching} of ${total} objects` +
      (rows.length < found.length ? `, the first ${rows.length} below` : "");
    more.hidden = rows.length === found.length;
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    found = order.filter((i) => sought[i].includes(wanted) &&
      (only.value === "" || columns.cluster[i] === Number(only.value)));
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
  for (const heading of headings) {
    heading.querySelector("button").addEventListener("click", () => sortBy(heading));
  }
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
  more.addEventListener("click", () => { nShown += MORE_ROWS; fill(); });
  fill();
})();
