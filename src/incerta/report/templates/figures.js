// The figures beside the scatter plot. Each is drawn if the page has a place for it.
const figures = {
  confidence: (place) => {
    const counts = summary.confidence.histogram, width = 1 / counts.length;
    const drawn = frame(place,
      { range: [0, 1], title: "confidence" },
      { range: [0, Math.max(1, ...counts) * 1.05], title: "objects", whole: true });
    const items = counts.map((n, i) => {
      const [left, right] = [drawn.x(i * width) + 1, drawn.x((i + 1) * width) - 1];
      const unsure = (i + 1) * width <= summary.confidence.threshold + 1e-9;
      drawn.marks.append(make("rect", {
        x: round(left), width: round(Math.max(right - left, 1)), y: round(drawn.y(n)),
        height: round(drawn.area.bottom - drawn.y(n)), fill: looks.colors[unsure ? 1 : 0],
      }));
      const lines = [`${(i * width).toFixed(1)} to ${((i + 1) * width).toFixed(1)}`, counted(n, "object")];
      return { x: (left + right) / 2, y: drawn.y(n), lines };
    });
    hoverable(drawn, items, drawn.area.right - drawn.area.left, true);
  },

  "world-map": (place) => {
    const { x, y, kept } = summary.worlds.map;
    const chosen = new Map(kept.map((world, at) => [world, at]));
    // One unit is as long up as across.
    const ranges = [extent(x, 0.08), extent(y, 0.12)];
    const longest = Math.max(...ranges.map(([low, high], i) =>
      (high - low) / [place.clientWidth, place.clientHeight][i]));
    const even = ranges.map(([low, high], i) => {
      const half = (longest * [place.clientWidth, place.clientHeight][i]) / 2;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    });
    const drawn = frame(place, { range: even[0], ticks: false }, { range: even[1], ticks: false });
    const items = x.map((_, i) => ({
      x: drawn.x(x[i]), y: drawn.y(y[i]),
      lines: chosen.has(i)
        ? [`world ${i}, choice ${chosen.get(i) + 1}`, `stands for ${counted(summary.worlds.representatives[chosen.get(i)].stands_for, "world")}`]
        : [`world ${i}`],
    }));
    for (const [i, item] of items.entries()) {
      if (!chosen.has(i)) drawn.marks.append(mark("circle", item.x, item.y, 3.5, { fill: looks.noise_color, opacity: 0.7 }));
    }
    for (const [world, at] of chosen) {
      const item = items[world];
      drawn.marks.append(
        mark("diamond", item.x, item.y, 5.5, { fill: looks.colors[5], class: "outlined" }),
        make("text", { x: round(item.x), y: round(item.y) - 10, "text-anchor": "middle" }, String(at + 1)));
    }
    hoverable(drawn, items);
  },

  agreement: (place) => {
    const values = summary.worlds.agreement;
    const drawn = frame(place,
      { range: extent([0, values.length - 1]), title: "world", whole: true },
      { range: [-0.03, 1.03], title: "agreement" });
    const items = values.flatMap((value, i) => (known(value)
      ? [{ x: drawn.x(i), y: drawn.y(value), lines: [`world ${i}: ${share(value)}`] }] : []));
    drawn.marks.append(...items.map((item) =>
      mark("circle", item.x, item.y, 3.5, { fill: looks.colors[0] })));
    hoverable(drawn, items);
  },

  choice: (place) => {
    const { tried, gain, reference_low: low, reference_high: high, k } = summary.choice;
    const drawn = frame(place,
      { range: extent(tried, 0.05), title: "number of clusters", ticks: tried },
      { range: extent([...gain, ...low, ...high]), title: "gain over the smallest number" });
    const band = tried.map((_, i) => i).filter((i) => known(low[i]) && known(high[i]));
    const along = (places, values) => places.map((i) => `${round(drawn.x(tried[i]))} ${round(drawn.y(values[i]))}`);
    if (band.length > 1) {
      const around = [...along(band, high), ...along([...band].reverse(), low)];
      drawn.marks.append(make("path", { d: `M${around.join("L")}Z`, fill: looks.noise_color, opacity: 0.35 }));
    }
    drawn.marks.append(make("path", { class: "guide", d: `M${round(drawn.x(k))} ${drawn.area.top}V${drawn.area.bottom}` }));
    line(drawn, tried, gain, { stroke: looks.colors[0], "stroke-width": 2 });
    const items = tried.flatMap((number, i) => (known(gain[i]) ? [{
      x: drawn.x(number), y: drawn.y(gain[i]),
      lines: [counted(number, "cluster"), `gain ${gain[i].toFixed(3)}`,
        ...(known(low[i]) && known(high[i]) ? [`references ${low[i].toFixed(3)} to ${high[i].toFixed(3)}`] : [])],
    }] : []));
    drawn.marks.append(...items.map((item) => mark("circle", item.x, item.y, 4, { fill: looks.colors[0] })));
    hoverable(drawn, items, 60, true);
  },

  objective: (place) => {
    const values = summary.objective, steps = values.map((_, i) => i + 1);
    const drawn = frame(place,
      { range: extent(steps), title: "step", whole: true },
      { range: extent(values), title: "objective" });
    line(drawn, steps, values, { stroke: looks.colors[0], "stroke-width": 2 });
    const items = steps.flatMap((step, i) => (known(values[i]) ? [{
      x: drawn.x(step), y: drawn.y(values[i]), lines: [`step ${step}`, values[i].toPrecision(6)],
    }] : []));
    if (items.length <= 100) {
      drawn.marks.append(...items.map((item) => mark("circle", item.x, item.y, 3, { fill: looks.colors[0] })));
    }
    hoverable(drawn, items, 60, true);
  },

  reachability: (place) => {
    const { reachability: heights, cluster: owners, cut: bound } = summary.reachability;
    const drawn = frame(place,
      { range: [0, Math.max(heights.length, 1)], title: "objects in order", whole: true },
      { range: [0, extent([0, bound, ...heights])[1]], title: "reachability" });
    // One path for each cluster: there may be thousands of bars.
    const paths = new Map();
    const items = heights.flatMap((height, i) => {
      if (!known(height)) return [];
      const [left, right, top] = [drawn.x(i), drawn.x(i + 1), drawn.y(height)].map(round);
      paths.set(owners[i], (paths.get(owners[i]) || "") + `M${left} ${drawn.area.bottom}V${top}H${right}V${drawn.area.bottom}Z`);
      return [{ x: (left + right) / 2, y: top, lines: [titled(owners[i]), `reached at ${height.toPrecision(3)}`] }];
    });
    for (const [cluster, d] of paths) drawn.marks.append(make("path", { d, fill: color(cluster) }));
    if (known(bound)) {
      drawn.marks.append(make("path", { class: "guide", d: `M${drawn.area.left} ${round(drawn.y(bound))}H${drawn.area.right}` }));
    }
    hoverable(drawn, items, 30, true);
  },
};
