// Plots by uPlot, tied to the cursor of time. Columns of one unit share a panel; recordings differ by
// colour, columns by dashes.
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4]];
const HEALTH = ["energy.error", "singularity.sigma", "drift.position"];
const ENERGIES = ["energy.kinetic", "energy.potential"];
// What an engineer looks at first: joint coordinates, efforts of drives, forces of contacts, outputs of the scene.
const FIRST = [/\.(coordinate|slide|angle_?2?|turn)$/, /\.(effort|motor)$/, /\.contact_force$/, /^[^.]+$/];
const MOST_AT_FIRST = 4; // curves of a kind
const LOGARITHMIC = /^(drift\.|singularity\.(sigma|rcond))/;

class Plots {
  constructor(root, list, data, runs, seek) {
    Object.assign(this, { root, list, data, runs, seek, panels: [], kinds: new Map(), pairs: [] });
    this.columns = this.findColumns();
    this.chosen = new Set(this.first());
    this.health();
    this.fillList();
    this.offerPairs();
  }

  first() {
    const has = name => this.columns.some(c => c.name === name), moves = c => c.of.some(values => values && isMoving(values.y()));
    const out = FIRST.flatMap((kind, k) => this.columns.filter(c => kind.test(c.name) && !this.isBody(c.name) && (k < 3 || !/\.switch$/.test(c.name)) && moves(c))
      .slice(0, MOST_AT_FIRST).map(c => c.name));
    if (!out.length) out.push(...ENERGIES.filter(has));
    return out.length ? out : this.columns.slice(0, 2).map(c => c.name);
  }

  isBody(name) { return this.data.bodies.some(b => name.startsWith(`${b.name}.`)); }

  // One mark for the numbers of the computation, whose curves are folded.
  health() {
    const verdicts = this.runs.map(r => r.verdict).filter(Boolean), box = byId("health");
    const worst = ["POOR", "fair", "good"].find(v => verdicts.includes(v)) || "";
    box.hidden = !HEALTH.some(name => this.columns.some(c => c.name === name));
    box.dataset.verdict = worst;
    box.firstElementChild.textContent = `${worst === "good" ? "\u2714" : worst ? "\u2718" : "\u2013"} Numerical health${worst ? `: ${worst}` : ""}`;
    box.addEventListener("toggle", () => {
      HEALTH.forEach(name => { if (box.open) this.shown(name, true); else this.shown(name, false); });
      this.build();
    });
  }

  shown(name, on) {
    if (on && this.columns.some(c => c.name === name)) this.chosen.add(name); else this.chosen.delete(name);
    const label = [...this.list.children].find(e => e.dataset.name === name.toLowerCase());
    if (label) label.querySelector("input").checked = this.chosen.has(name);
  }

  // Two curves against each other, or their difference.
  offerPairs() {
    const [a, how, b] = ["pair-a", "pair-how", "pair-b"].map(byId), options = this.columns.flatMap(c => this.runs.filter(r => c.of[r.number]).map(run =>
      ({ column: c, run, label: this.runs.length > 1 ? `${c.name}, ${run.label}` : c.name })));
    for (const box of [a, b]) options.forEach((o, i) => box.append(Object.assign(document.createElement("option"), { value: i, textContent: o.label })));
    byId("pair-add").addEventListener("click", () => {
      const [p, q] = [a, b].map(box => options[box.value]);
      if (p && q) this.pairs.push({ a: p, b: q, against: how.value === "against" });
      this.build();
    });
  }

  // Recorded columns, then those of poses, which the page has in any case.
  findColumns() {
    const out = new Map(), { data } = this;
    const add = (name, unit, run, values) => {
      const column = out.get(name) || { name, unit, of: [] };
      column.of[run.number] = values;
      out.set(name, column);
    };
    for (const run of this.runs) {
      for (const c of run.columns.slice().reverse()) {
        add(c.name, c.unit, run, { t: () => data.channels[c.clock](), y: data.channels[c.channel], holes: c.holes || [], held: c.held, digits: 7 });
      }
      run.bodies.forEach((q, b) => q.forEach((values, k) => {
        const [name, unit] = (run.planar ? [["x", "m"], ["y", "m"], ["angle", "rad"]]
          : [["x", "m"], ["y", "m"], ["z", "m"], ["qw", ""], ["qx", ""], ["qy", ""], ["qz", ""]])[k];
        if (data.bodies.length > 60) return;
        add(`${data.bodies[b].name}.${name}`, unit, run, { t: () => run.clock.times, y: () => values, holes: [], digits: 4 });
        if (unit) {
          add(`${data.bodies[b].name}.${name === "angle" ? "rate" : `v${name}`}`, `${unit}/s`, run,
            { t: () => run.clock.times, y: () => run.clock.slopes(values), holes: [], digits: 3 });
        }
      }));
    }
    this.addMarkers(add);
    const rank = name => { const i = this.isBody(name) ? -1 : FIRST.findIndex(kind => kind.test(name)); return i < 0 ? FIRST.length + HEALTH.includes(name) : i; };
    return [...out.values()].sort((a, b) => rank(a.name) - rank(b.name));
  }

  addMarkers(add) {
    for (const run of this.runs) {
      const times = run.clock.times;
      for (const marker of this.data.markers.filter(m => m.body >= 0).slice(0, 40)) {
        let path = null;
        const along = k => () => (path ??= Array.from(times, t => { run.seek(t); return run.point(marker.body, marker.at); })).map(x => x[k]);
        ["x", "y", "z"].slice(0, this.data.dimension).forEach((axis, k) =>
          add(`${marker.name}.${axis}`, "m", run, { t: () => times, y: along(k), holes: [], digits: 4 }));
      }
    }
  }

  fillList() {
    for (const column of this.columns) {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = this.chosen.has(column.name);
      box.addEventListener("change", () => {
        this.shown(column.name, box.checked);
        this.build();
      });
      label.dataset.name = column.name.toLowerCase();
      label.append(box, ` ${column.name}${column.unit ? ` [${column.unit}]` : ""}`);
      this.list.append(label);
    }
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const label of this.list.children) label.hidden = !words.every(w => label.dataset.name.includes(w));
  }

  groups() {
    const out = new Map();
    for (const column of this.columns) {
      if (!this.chosen.has(column.name)) continue;
      const log = LOGARITHMIC.test(column.name), key = log || HEALTH.includes(column.name) ? column.name : column.unit || column.name;
      const group = out.get(key) || { key, unit: column.unit, log, columns: [] };
      group.columns.push(column);
      out.set(key, group);
    }
    return [...out.values()];
  }

  build(theme = this.theme) {
    this.theme = theme;
    this.panels.forEach(p => p.plot.destroy());
    this.panels = [];
    this.root.replaceChildren();
    if (typeof uPlotModule === "undefined") {
      const p = document.createElement("p");
      p.className = "notice";
      p.textContent = "This page has no plots: the program that wrote it was built without uPlot (npm was not at hand).";
      this.root.append(p);
      return;
    }
    byId("health-plots").replaceChildren();
    this.groups().forEach(group => this.panels.push(this.panel(group)));
    this.pairs.forEach(pair => this.panels.push(pair.against ? this.against(pair) : this.difference(pair)));
    this.move(this.t ?? 0);
  }

  // Series of a panel: tables [t, y], and how they look.
  series(group) {
    const out = [];
    for (const run of this.runs) {
      group.columns.forEach((column, k) => {
        const values = column.of[run.number];
        if (!values) return;
        let y = values.y();
        for (let i = 0; i + 1 < values.holes.length; i += 2) {
          const t = values.t();
          y = Array.from(y, (v, j) => t[j] >= values.holes[i] && t[j] <= values.holes[i + 1] ? null : v);
        }
        const told = y;
        if (group.log) y = Array.from(y, v => v !== null && v > (values.y.quantum || 0) ? v : null); // below the seventh digit of the largest: nothing
        const colours = this.theme.runs, one = this.runs.length === 1;
        out.push({ column, run, values, table: [values.t(), y], told, spans: !values.holes.length, held: values.held,
          colour: colours[(one ? k : run.number) % colours.length], dash: DASHES[(k + (run.number < colours.length ? 0 : 2)) % DASHES.length],
          label: one ? column.name : `${column.name}, ${run.label}` });
      });
    }
    return out;
  }

  panel(group) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption"), holder = document.createElement("div");
    figure.append(caption, holder);
    figure.className = "panel";
    (group.columns.every(c => HEALTH.includes(c.name)) ? byId("health-plots") : this.root).append(figure);
    const key = group.key, kind = this.kinds.get(key) || "curve", by = KINDS_OF_CURVES[kind], unit = by.unit(group.unit);
    const series = group.series || this.series(group), uPlot = uPlotModule.default, theme = this.theme;
    series.forEach(s => { s.unit = unit; if (kind !== "curve") { s.table = by.of(s.table); s.told = s.table[1]; s.label += `, ${by.label}`; } });
    figure.setAttribute("role", "img");
    figure.setAttribute("aria-label", `Plot over ${by.axis || "time"} of ${series.map(s => s.label).join(", ")}`);
    series.forEach(s => {
      const item = document.createElement("span"), mark = document.createElement("i"), value = document.createElement("b");
      mark.style.background = s.dash.length ? `repeating-linear-gradient(90deg, ${s.colour} 0 ${s.dash[0]}px, transparent 0 ${s.dash[0] + s.dash[1]}px)` : s.colour;
      item.append(mark, s.label, " ", value);
      caption.append(item);
      s.value = value;
    });
    const joined = uPlot.join(series.map(s => s.table));
    const log = kind === "curve" && group.log && joined.slice(1).some(y => y.some(v => v > 0));
    const axis = { stroke: theme.soft, grid: { stroke: theme.faint, width: 1, filter: (u, v) => v.map(x => !log || x === null || isDecade(x) ? x : null) }, ticks: { stroke: theme.faint, width: 1 }, font: "11px sans-serif" };
    const plot = new uPlot({
      width: Math.max(holder.clientWidth, 200), height: 150,
      legend: { show: false },
      cursor: { y: false, points: { size: 5 }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (u, low, high) => spread(low, high) } },
      axes: [{ ...axis, grid: { stroke: theme.faint, width: 1 }, size: 28, values: (u, v) => v.map(x => digits(x, 6)) },
        { ...axis, size: 62, values: (u, v) => v.map(x => x === null ? "" : log && !isDecade(x) ? "" : digits(x, 6)) }],
      series: [{}, ...series.map(s => ({ stroke: s.colour, width: 1.4, dash: s.dash, spanGaps: s.spans, points: { show: false }, paths: kind !== "curve" ? undefined : s.held ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.spline() }))],
      hooks: { draw: [u => { if (!by.axis) this.drawEvents(u); }], setCursor: [u => this.hover(u, series)] },
    }, joined, holder);
    const panel = { plot, series, holder, unit, abscissa: by.axis ? `f[${by.axis}]` : "t[s]" };
    if (!by.axis) {
      [panel.cursor, panel.mark] = ["cursor", "cursor mark"].map(name => Object.assign(document.createElement("div"), { className: name, hidden: name !== "cursor" }));
      plot.over.append(panel.cursor, panel.mark);
      let down = 0;
      plot.over.addEventListener("mousedown", e => { down = e.clientX; });
      plot.over.addEventListener("mouseup", e => {
        if (Math.abs(e.clientX - down) >= 4) return;
        const t = plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x");
        if (e.shiftKey) { this.marked = t; this.hovered = null; this.move(this.t); } else this.seek(t);
      });
    }
    caption.append(this.tools(panel, kind, choice => { this.kinds.set(key, choice); this.build(); }));
    return panel;
  }

  // What can be done with a panel: another curve of it, and files.
  tools(panel, kind, choose) {
    const box = document.createElement("span"), name = panel.series.map(s => s.label).join("_").replace(/[^\w.]+/g, "_").slice(0, 60);
    box.className = "tools";
    if (choose) {
      const select = document.createElement("select");
      select.setAttribute("aria-label", "Shown of these curves");
      for (const [key, of] of Object.entries(KINDS_OF_CURVES)) select.append(Object.assign(document.createElement("option"), { value: key, textContent: of.label, selected: key === kind }));
      select.addEventListener("change", () => choose(select.value));
      box.append(select);
    }
    const button = (label, action) => {
      const b = Object.assign(document.createElement("button"), { type: "button", textContent: label, title: `Save as ${label}` });
      b.addEventListener("click", action);
      box.append(b);
    };
    button("CSV", () => save(`${name}.csv`, "text/csv", csvOf(panel)));
    button("PNG", () => savePng(`${name}.png`, svgOf(panel, this.theme)));
    button("SVG", () => save(`${name}.svg`, "image/svg+xml", svgOf(panel, this.theme)));
    return box;
  }

  tableOf({ column, run }) {
    const values = column.of[run.number];
    return [values.t(), values.y()];
  }

  difference({ a, b }) {
    const [t, y] = this.tableOf(a), other = this.tableOf(b), told = Array.from(t, (at, i) => y[i] - valueAt(other, at)), label = `${a.label} \u2212 ${b.label}`;
    const series = [{ column: a.column, run: a.run, values: { digits: 7 }, table: [t, told], told, spans: true, colour: this.theme.runs[0], dash: [], label }];
    return this.panel({ key: label, unit: a.column.unit, columns: [], series });
  }

  // y against x, each with its own times; a ring stands at the time shown.
  against({ a, b }) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption"), holder = document.createElement("div"), theme = this.theme;
    const [t, y] = this.tableOf(a), other = this.tableOf(b), x = Array.from(t, at => valueAt(other, at)), unit = u => u ? ` [${u}]` : "";
    const label = `${a.label} over ${b.label}`, range = v => { const s = v.filter(z => z !== null); return spread(s.reduce((p, q) => Math.min(p, q), Infinity), s.reduce((p, q) => Math.max(p, q), -Infinity)); };
    figure.className = "panel";
    figure.setAttribute("role", "img");
    figure.setAttribute("aria-label", `Plot of ${label}`);
    figure.append(caption, holder);
    this.root.append(figure);
    caption.append(`${a.label}${unit(a.column.unit)} over ${b.label}${unit(b.column.unit)}`);
    const width = Math.max(holder.clientWidth, 200), ranges = { x: range(x), y: range(Array.from(y)) }, axis = { stroke: theme.soft, grid: { stroke: theme.faint, width: 1 }, ticks: { stroke: theme.faint, width: 1 }, font: "11px sans-serif" };
    const line = u => {
      const path = new Path2D();
      x.forEach((v, i) => path[i > 0 ? "lineTo" : "moveTo"](u.valToPos(v, "x", true), u.valToPos(y[i], "y", true)));
      u.ctx.save();
      u.ctx.strokeStyle = theme.runs[0];
      u.ctx.lineWidth = 1.4 * devicePixelRatio;
      u.ctx.stroke(path);
      u.ctx.restore();
    };
    const plot = new uPlotModule.default({ width, height: Math.min(width, 300), legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, range: () => ranges.x }, y: { range: () => ranges.y } }, axes: [{ ...axis, size: 28 }, { ...axis, size: 62 }],
      series: [{}, { show: true, paths: () => null, points: { show: false } }], hooks: { draw: [line] } }, [ranges.x, ranges.y], holder);
    const ring = Object.assign(document.createElement("div"), { className: "ring" });
    plot.over.append(ring);
    const panel = { plot, holder, height: Math.min(width, 300), unit: a.column.unit, abscissa: `${b.label}${b.column.unit ? `[${b.column.unit}]` : ""}`, values: [],
      series: [{ label: a.label, table: [x, Array.from(y)], colour: theme.runs[0], dash: [] }],
      place: at => { ring.style.transform = `translate(${plot.valToPos(valueAt(other, at), "x")}px, ${plot.valToPos(valueAt([t, y], at), "y")}px)`; } };
    caption.append(this.tools(panel));
    return panel;
  }

  drawEvents(u) {
    const c = u.ctx;
    c.save();
    c.strokeStyle = this.theme.singular;
    c.globalAlpha = 0.45;
    c.lineWidth = 1;
    c.setLineDash([2, 3]);
    for (const run of this.runs) {
      for (const e of run.events) {
        if (e.kind === "rejected") continue;
        const x = u.valToPos(e.t, "x", true);
        if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
        c.beginPath();
        c.moveTo(x, u.bbox.top);
        c.lineTo(x, u.bbox.top + u.bbox.height);
        c.stroke();
      }
    }
    c.restore();
  }

  hover(u, series) {
    const i = u.cursor.idx;
    this.hovered = i === null || i === undefined || u.cursor.left < 0 ? null : u;
    if (this.hovered) {
      const t = u.posToVal(u.cursor.left, "x");
      series.forEach(s => { s.value.textContent = this.stored(s, t); });
    } else {
      this.values();
    }
  }

  // The recorded number nearest to t, with its time.
  stored(s, t) {
    const times = s.table[0], y = s.told, clock = new Clock(times);
    let i = clock.index(t);
    if (i + 1 < times.length && times[i + 1] - t < t - times[i]) i++;
    return y[i] === null ? "none" : `${digits(y[i], s.values.digits)} ${s.unit} at ${digits(times[i], 6)} ${s.label.endsWith(KINDS_OF_CURVES.spectrum.label) ? "Hz" : "s"}`;
  }

  values() {
    for (const p of this.panels) {
      if (p.plot === this.hovered || !p.cursor) continue;
      for (const s of p.series) {
        const table = [s.table[0], s.told], now = valueAt(table, this.t), then = this.marked === undefined ? null : valueAt(table, this.marked);
        s.value.textContent = now === null ? "none" : `${digits(now, 4)} ${s.unit}${then === null ? "" : `, ${digits(now - then, 4)} since ${digits(this.marked, 4)} s`}`;
      }
    }
  }

  move(t) {
    this.t = t;
    for (const p of this.panels) {
      if (p.place) p.place(t);
      if (!p.cursor) continue;
      p.cursor.style.transform = `translateX(${p.plot.valToPos(t, "x")}px)`;
      p.mark.hidden = this.marked === undefined;
      if (!p.mark.hidden) p.mark.style.transform = `translateX(${p.plot.valToPos(this.marked, "x")}px)`;
    }
    this.waiting ??= setTimeout(() => { this.waiting = undefined; this.values(); }, 90); // numbers need not flicker
  }

  resize() {
    for (const p of this.panels) {
      const width = Math.max(p.holder.clientWidth, 200);
      if (width !== p.plot.width) p.plot.setSize({ width, height: p.height || 150 });
    }
    this.move(this.t ?? 0);
  }
}

const isMoving = y => y.some(v => Math.abs(v - y[0]) > 1e-9 * Math.abs(y[0]));
const isDecade = x => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9;

// A range with a margin; numbers that are equal up to their seven digits make a flat line in the middle.
function spread(low, high) {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), length = Math.max(high - low, 1e-6 * size) || 1, middle = (low + high) / 2;
  return [middle - 0.55 * length, middle + 0.55 * length];
}
