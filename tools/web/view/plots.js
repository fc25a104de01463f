// Plots by uPlot, tied to the cursor of time. Columns of one unit share a panel; recordings differ by
// colour, columns by dashes.
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4]];
const FIRST = ["energy.error", "singularity.sigma", "drift.position", "energy.kinetic", "energy.potential"];
const LOGARITHMIC = /^(drift\.|singularity\.(sigma|rcond))/;

class Plots {
  constructor(root, list, data, runs, seek) {
    Object.assign(this, { root, list, data, runs, seek, panels: [] });
    this.columns = this.findColumns();
    this.chosen = new Set(FIRST.filter(name => this.columns.some(c => c.name === name)));
    if (!this.chosen.size) this.columns.slice(0, 2).forEach(c => this.chosen.add(c.name));
    this.fillList();
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
        add(c.name, c.unit, run, { t: () => data.channels[c.clock](), y: data.channels[c.channel], holes: c.holes || [], digits: 7 });
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
    const rank = name => { const i = FIRST.indexOf(name); return i < 0 ? FIRST.length : i; };
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
        if (box.checked) this.chosen.add(column.name); else this.chosen.delete(column.name);
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
      const log = LOGARITHMIC.test(column.name), key = column.name === "energy.error" ? column.name : log ? column.name : column.unit || column.name;
      const group = out.get(key) || { unit: column.unit, log, columns: [] };
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
    this.groups().forEach(group => this.panels.push(this.panel(group)));
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
        out.push({ column, run, values, table: [values.t(), y], told, spans: !values.holes.length,
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
    this.root.append(figure);
    const series = this.series(group), uPlot = uPlotModule.default, theme = this.theme;
    figure.setAttribute("role", "img");
    figure.setAttribute("aria-label", `Plot over time of ${series.map(s => s.label).join(", ")}`);
    series.forEach(s => {
      const item = document.createElement("span"), mark = document.createElement("i"), value = document.createElement("b");
      mark.style.background = s.dash.length ? `repeating-linear-gradient(90deg, ${s.colour} 0 ${s.dash[0]}px, transparent 0 ${s.dash[0] + s.dash[1]}px)` : s.colour;
      item.append(mark, s.label, " ", value);
      caption.append(item);
      s.value = value;
    });
    const joined = uPlot.join(series.map(s => s.table));
    const log = group.log && joined.slice(1).some(y => y.some(v => v > 0));
    const axis = { stroke: theme.soft, grid: { stroke: theme.faint, width: 1, filter: (u, v) => v.map(x => !log || x === null || isDecade(x) ? x : null) }, ticks: { stroke: theme.faint, width: 1 }, font: "11px sans-serif" };
    const plot = new uPlot({
      width: Math.max(holder.clientWidth, 200), height: 150,
      legend: { show: false },
      cursor: { y: false, points: { size: 5 }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (u, low, high) => spread(low, high) } },
      axes: [{ ...axis, grid: { stroke: theme.faint, width: 1 }, size: 28, values: (u, v) => v.map(x => digits(x, 6)) },
        { ...axis, size: 62, values: (u, v) => v.map(x => x === null ? "" : log && !isDecade(x) ? "" : digits(x, 6)) }],
      series: [{}, ...series.map(s => ({ stroke: s.colour, width: 1.4, dash: s.dash, spanGaps: s.spans, points: { show: false } }))],
      hooks: { draw: [u => this.drawEvents(u)], setCursor: [u => this.hover(u, series)] },
    }, joined, holder);
    const cursor = document.createElement("div");
    cursor.className = "cursor";
    plot.over.append(cursor);
    let down = 0;
    plot.over.addEventListener("mousedown", e => { down = e.clientX; });
    plot.over.addEventListener("mouseup", e => {
      if (Math.abs(e.clientX - down) < 4) this.seek(plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
    return { plot, series, cursor, holder, unit: group.unit };
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
    return y[i] === null ? "none" : `${digits(y[i], s.values.digits)} ${s.column.unit} at ${digits(times[i], 6)} s`;
  }

  values() {
    for (const p of this.panels) {
      if (p.plot === this.hovered) continue;
      for (const s of p.series) {
        const times = s.table[0], y = s.told, c = new Clock(times), i = c.index(this.t), next = Math.min(i + 1, times.length - 1);
        const u = next > i ? Math.min(Math.max((this.t - times[i]) / (times[next] - times[i]), 0), 1) : 0;
        s.value.textContent = y[i] === null || y[next] === null ? "none" : `${digits(y[i] + u * (y[next] - y[i]), 4)} ${s.column.unit}`;
      }
    }
  }

  move(t) {
    this.t = t;
    for (const p of this.panels) {
      p.cursor.style.transform = `translateX(${p.plot.valToPos(t, "x")}px)`;
    }
    this.waiting ??= setTimeout(() => { this.waiting = undefined; this.values(); }, 90); // numbers need not flicker
  }

  resize() {
    for (const p of this.panels) {
      const width = Math.max(p.holder.clientWidth, 200);
      if (width !== p.plot.width) p.plot.setSize({ width, height: 150 });
    }
    this.move(this.t ?? 0);
  }
}

const isDecade = x => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9;

// A range with a margin; numbers that are equal up to their seven digits make a flat line in the middle.
function spread(low, high) {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), length = Math.max(high - low, 1e-6 * size) || 1, middle = (low + high) / 2;
  return [middle - 0.55 * length, middle + 0.55 * length];
}
