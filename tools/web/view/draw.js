// The line drawing on a canvas, in the style of `trammel view -o x.svg`: bars as two strokes, pins,
// supports on hatched ground, guides, sleeves, coils, dashpots. Scenes in space are drawn as projections
// of the same figures, the farthest body first; that is also what a browser without WebGL2 shows.
const LIGHT = {
  paper: "#fdfdfa", ink: "#22272d", soft: "#5b636c", faint: "#e4e5df", force: "#b3261e", applied: "#1d5fbf", moment: "#7a3fa0", speed: "#0b6e4f", driven: "#d9482b",
  singular: "#c2157a", worst: "#c76b00", redundant: "#0b5ba5", pin: "#ffffff",
  fills: ["#a9c1dc", "#f0cd9b", "#b3d6b7", "#e6b3b0", "#c9bee2", "#a8d5d5", "#ded2b0", "#c9ced4"],
  edges: ["#2f4f74", "#8a5a1c", "#2f6b3c", "#8a3431", "#54418a", "#1f6668", "#6f5f2c", "#4a525c"],
  runs: ["#0072b2", "#d55e00", "#009e73", "#b8558f"], // more repeat them, with dashes and names
};
const DARK = {
  paper: "#181b1f", ink: "#e3e6e9", soft: "#9ba5ae", faint: "#2b3138", force: "#ff8a80", applied: "#8ab8ff", moment: "#cfa3f0", speed: "#5fd3a8", driven: "#ff7a5c",
  singular: "#ff7ac6", worst: "#ffb347", redundant: "#7db8f0", pin: "#c8ced4",
  fills: ["#3c5675", "#7a5c30", "#3d6346", "#774643", "#5a4f7d", "#356464", "#6a6144", "#4d545c"],
  edges: ["#a9c9ec", "#f0cd9b", "#a6d6ae", "#f0b3b0", "#cfc3f0", "#9adede", "#e2d6ae", "#cdd3da"],
  runs: ["#56b4e9", "#ff9a5c", "#2cc79a", "#e79bcb"],
};
const SLIDES = ["slider", "slot", "track", "sleeve", "nut"], NO_FOOT = [...SLIDES, "puck", "point"];
const MARKED = ["crossing", "near", "bifurcation", "branch", "end"];

function hull(points) { // Andrew's monotone chain
  const p = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]), out = [];
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  for (const half of [p, p.slice().reverse()]) {
    const start = out.length;
    for (const q of half) {
      while (out.length >= start + 2 && turn(out[out.length - 2], out[out.length - 1], q) <= 0) out.pop();
      out.push(q);
    }
    out.pop();
  }
  return out.length ? out : p.slice(0, 1);
}

// The line of a rope over points x, about circles of radius r where it is not zero, on its left where above: common tangents and arcs; off a
// circle between two points where it would turn to the other side. In space circles are cylinders along `axis`, the rope straight on them unrolled.
function wound(x, r, axis) {
  const [e, f, a] = axis ? frame(normalize(axis)) : [[1, 0, 0], [0, 1, 0], [0, 0, 1]], line = [], whole = 2 * Math.PI;
  const heading = (p, q) => Math.atan2(q.v - p.v, q.u - p.u) - Math.asin(Math.min(Math.max((q.r - p.r) / (Math.hypot(q.u - p.u, q.v - p.v) || 1), -1), 1));
  const turned = (p, q, s) => ((t => t - whole * Math.floor(t / whole))(Math.sign(q.r) * (heading(q, s) - heading(p, q)) + whole / 4) - whole / 4);
  const all = x.map((p, i) => ({ u: dot(p, e), v: dot(p, f), h: dot(p, a), r: r[i] }));
  const on = all.filter((p, i) => !p.r || all[i - 1].r || all[i + 1].r || turned(all[i - 1], p, all[i + 1]) >= 0);
  let from = 0; // the place of its last point in `line`
  on.forEach((p, i) => {
    for (let k = 0, n = p.r ? 24 : 0; k <= n; k++) {
      const t = n && heading(on[i - 1], p) + Math.sign(p.r) * turned(on[i - 1], p, on[i + 1]) * k / n, last = line[line.length - 1];
      const u = p.u + p.r * Math.sin(t), v = p.v - p.r * Math.cos(t);
      line.push({ u, v, h: p.h, s: last ? last.s + Math.hypot(u - last.u, v - last.v) : 0 });
    }
    if (p.r) return;
    const [c, d] = [line[from], line[line.length - 1]]; // between points it goes along the axis evenly
    line.slice(from + 1, -1).forEach(q => { q.h = c.h + (d.h - c.h) * (q.s - c.s) / (d.s - c.s || 1); });
    from = line.length - 1;
  });
  return line.map(({ u, v, h }) => [0, 1, 2].map(k => u * e[k] + v * f[k] + h * a[k]));
}

// A colour of shapes for eyes, darkened.
const css = ([r, g, b, a], light) => `rgba(${[r, g, b].map(x => Math.round(255 * light * x)).join(",")},${a})`;

class Drawing {
  constructor(canvas, data, runs, camera) {
    Object.assign(this, { canvas, data, runs, camera, theme: LIGHT });
    this.context = canvas.getContext("2d");
    this.planar = data.dimension === 2;
    // of bodies, then of shapes for eyes
    this.figures = [...data.bodies.map((b, body) => ({ ...b, body })), ...data.looks.map(look => ({ ...look, centre: look.at }))].map(f => {
      const points = [];
      for (let i = 0; i < f.points.length; i += 3) points.push(f.points.slice(i, i + 3));
      return { ...f, points };
    });
    this.r = Math.max(4.8 * Math.min(1, Math.sqrt(12 / (data.bodies.length + 1))), 1.2); // px, of a pin
    this.own = this.ownSize();
    this.travels = this.isTraveller();
    this.size = this.travels ? 4 * this.own : data.scale; // m, what symbols are measured by
    this.guides = runs.map(run => data.joints.map(joint => this.measureGuide(run, joint)));
    this.arms = this.figures.map((f, b) => (f.shape || "none") === "none" ? [] : data.joints.flatMap(j =>
      [[j.a, j.at_a], [j.b, j.at_b]].filter(([body]) => body === b).map(([, at]) => at)));
    this.tracks = this.chooseTracks();
    this.trace(this.tracks);
    this.shown = new Set(data.markers.map((m, i) => i).filter(i => data.markers[i].body >= 0
      || data.forces.some(f => f.from === i || f.to === i || f.over.includes(i))));
    this.measureSpeeds();
  }

  // ------------------------------------------------------------------------------- over the whole run

  // A straight guide fixed in one body (the ground where either would do) and how far the slider travels.
  measureGuide(run, joint) {
    if (!SLIDES.includes(joint.look) || !joint.axis_a) return null;
    const either = ["slider", "sleeve", "nut"].includes(joint.look), swap = either && joint.b < 0;
    const base = swap ? joint.b : joint.a, other = swap ? joint.a : joint.b;
    const at = swap ? joint.at_b : joint.at_a, to = swap ? joint.at_a : joint.at_b, axis = swap ? joint.axis_b : joint.axis_a;
    let low = Infinity, high = -Infinity;
    for (const t of run.clock.times) {
      run.seek(t);
      const o = run.point(base, at), x = run.point(other, to), d = run.direction(base, axis);
      const s = dot([x[0] - o[0], x[1] - o[1], x[2] - o[2]], d);
      low = Math.min(low, s);
      high = Math.max(high, s);
    }
    const margin = 0.05 * this.size, below = [0, 0, 0];
    let reach = 0;
    const f = other >= 0 ? this.figures[other] : null;
    if (base < 0 && this.planar && joint.look === "slider" && f && f.kind !== "bar" && f.shape !== "none") {
      // a block slides on top of its rail
      run.seek(run.clock.times[0]);
      const o = run.point(other, to), right = axis[0] < -1e-9 ? -1 : 1, normal = [right * axis[1], -right * axis[0], 0];
      let depth = 0;
      for (const p of f.points) {
        const x = run.point(other, p), d = [x[0] - o[0], x[1] - o[1], 0];
        depth = Math.max(depth, dot(d, normal) + f.radius);
        reach = Math.max(reach, Math.abs(dot(d, axis)) + f.radius);
      }
      normal.forEach((n, k) => { below[k] = depth * n; });
    }
    const end = s => at.map((x, k) => x + s * axis[k] + below[k]);
    return { base, low: end(low - reach - margin), high: end(high + reach + margin) };
  }

  // m, the diameter of the bodies at the start.
  ownSize() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], [run] = this.runs;
    run.seek(run.clock.times[0]);
    this.figures.forEach(f => f.points.forEach(p => run.point(f.body, p).forEach((x, k) => {
      low[k] = Math.min(low[k], x - f.radius);
      high[k] = Math.max(high[k], x + f.radius);
    })));
    const size = Math.hypot(...low.map((x, k) => high[k] - x));
    return size > 0 && Number.isFinite(size) ? size : this.data.scale;
  }

  // Whether it goes so far that all of the way would show it smaller than an eighth of the stage, and is tied to no place: a bicycle.
  isTraveller() {
    const { joints, lines, scale } = this.data, tied = joints.some(j => (j.a < 0 || j.b < 0) && !j.rotor) || lines.some(l => l.body < 0 && l.kind !== "face");
    return !tied && lines.some(l => l.kind === "face") && scale > 8 * this.own;
  }

  // Whose paths can be drawn: markers of bodies, then the bodies' centres. Drawn at first: those of the address (#trace=a,b), else
  // markers where the scene has some, else the centres of few bodies, or the far end of the last of many.
  chooseTracks() {
    const { markers, bodies } = this.data, most = 12, wanted = new URLSearchParams(location.hash.slice(1)).get("trace");
    this.tracers = [...markers.filter(m => m.body >= 0).map(m => ({ body: m.body, at: m.at, name: m.name })),
      ...bodies.map((b, i) => ({ body: i, at: [0, 0, 0], name: b.name })).filter((_, i) => !bodies[i].rotor)].slice(0, 400);
    const named = wanted === null ? [] : this.tracers.filter(t => wanted.split(",").includes(t.name));
    if (named.length) return named;
    const marked = this.tracers.slice(0, markers.filter(m => m.body >= 0).length).slice(0, most);
    if (marked.length) return marked;
    if (bodies.length <= most / 2) return this.tracers.slice();
    const last = this.figures[bodies.length - 1];
    const end = { body: bodies.length - 1, at: last.kind === "bar" ? last.points[1] : [0, 0, 0], name: `end of ${last.name}` };
    this.tracers.unshift(end);
    return [end];
  }

  // Other paths than at first.
  trace(tracks) {
    this.tracks = tracks;
    this.paths = this.runs.map(run => this.measurePaths(run));
    this.places = this.runs.map(run => this.measurePlaces(run));
  }

  // Where on the paths a run met singular positions; those in one cell of a hundredth of the picture are one.
  measurePlaces(run) {
    const out = new Map(), cell = 0.01 * this.size;
    for (const e of run.events.filter(event => MARKED.includes(event.kind)).slice(0, 300)) {
      run.seek(e.t);
      this.tracks.forEach(track => {
        const x = run.point(track.body, track.at).slice();
        out.set([e.kind, ...x.map(v => Math.round(v / cell))].join(), { kind: e.kind, x });
      });
    }
    return [...out.values()];
  }

  measurePaths(run) {
    const from = run.clock.times[0], n = Math.min(4000, Math.max(400, 4 * run.clock.n)), paths = this.tracks.map(() => []);
    for (let i = 0; i <= n; i++) {
      run.seek(from + (run.end - from) * i / n);
      this.tracks.forEach((track, k) => paths[k].push(run.point(track.body, track.at)));
    }
    return paths;
  }

  measureSpeeds() {
    this.largestSpeed = 0;
    for (const run of this.runs) {
      for (let i = 0; i <= 200; i++) {
        run.seek(run.clock.times[0] + (run.end - run.clock.times[0]) * i / 200);
        for (const pose of run.pose) this.largestSpeed = Math.max(this.largestSpeed, Math.hypot(...pose.v));
      }
    }
    const parts = this.runs.flatMap(run => [run.reactions, run.forces]).filter(Boolean);
    this.largestForce = Math.max(0, ...parts.map(p => p.largest_force));
    this.largestMoment = Math.max(0, ...parts.map(p => p.largest_moment));
  }

  // Points that the camera includes: in space of bodies at some sixty times (the box around them would be
  // too large); then ends of guides, points of the ground.
  extent() {
    const out = this.planar ? [] : this.cloud ??= this.measureCloud();
    if (out.complete) return out;
    out.complete = !this.planar;
    this.runs.forEach((run, r) => {
      run.seek(run.clock.times[0]);
      this.guides[r].forEach(g => { if (g && g.base < 0) out.push(g.low, g.high); });
      out.push(...lineExtent(this, run));
      run.seek(run.clock.times[0]);
    });
    for (const j of this.data.joints) {
      if (j.a < 0 && !j.rotor) out.push(j.at_a);
      if (j.b < 0) out.push(j.at_b);
    }
    for (const i of this.shown) if (this.data.markers[i].body < 0) out.push(this.data.markers[i].at);
    return out;
  }

  measureCloud() {
    const pose = { R: [] }, corners = f => {
      rotation(...f.turn, pose);
      const R = pose.R, size = f.box;
      return [0, 1, 2, 3, 4, 5, 6, 7].map(i => [0, 1, 2].map(k => size.reduce((sum, d, m) => sum + R[3 * k + m] * d * (i >> m & 1 ? 0.5 : -0.5), 0)));
    };
    const out = [], solid = f => f.box ? [...f.points, ...f.boxed ??= corners(f)] : f.points.length > 8 ? f.points.filter((_, i) => i % 4 === 0) : f.points;
    const times = Math.max(2, Math.min(60, Math.floor(20000 / this.figures.length)));
    for (const run of this.runs) {
      for (let i = 0; i <= times; i++) {
        run.seek(run.clock.times[0] + (run.end - run.clock.times[0]) * i / times);
        this.figures.forEach(f => {
          if (this.data.machine && !this.data.machine.has(f.body)) return;
          solid(f).forEach(p => out.push(run.point(f.body, p).slice()));
          if (f.radius > 0) this.camera.vertical.forEach((_, k) => [-1, 1].forEach(s => out.push(run.point(f.body, f.centre || [0, 0, 0]).map((x, j) => j === k ? x + s * f.radius : x))));
        });
      }
    }
    return out;
  }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
  }

  // ------------------------------------------------------------------------------------------ strokes

  at(run, body, p) { return this.camera.project(run.point(body, p)); }

  line(points, colour, width, { closed = false, fill = null, dash = null } = {}) {
    const c = this.context;
    c.beginPath();
    points.forEach((p, i) => i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1]));
    if (closed) c.closePath();
    if (fill) { c.fillStyle = fill; c.fill(); }
    c.setLineDash(dash || []);
    if (colour) { c.strokeStyle = colour; c.lineWidth = width; c.stroke(); }
  }

  circle(p, r, colour, width, fill, dash) {
    const c = this.context;
    c.beginPath();
    c.arc(p[0], p[1], r, 0, 2 * Math.PI);
    if (fill) { c.fillStyle = fill; c.fill(); }
    c.setLineDash(dash || []);
    if (colour) { c.strokeStyle = colour; c.lineWidth = width; c.stroke(); }
  }

  // Short strokes on the right-hand side of the line from a to b: what stands still.
  hatch(a, b) {
    const c = this.context, length = Math.hypot(b[0] - a[0], b[1] - a[1]), pitch = Math.max(1.8 * this.r, 4);
    const ex = (b[0] - a[0]) / length, ey = (b[1] - a[1]) / length, r = 0.83 * pitch;
    c.beginPath();
    for (let i = 0; i < Math.floor(length / pitch); i++) {
      const s = (i + 0.75) * pitch, x = a[0] + s * ex, y = a[1] + s * ey;
      c.moveTo(x, y);
      c.lineTo(x - r * (ex + ey), y + r * (ex - ey));
    }
    c.setLineDash([]);
    c.strokeStyle = this.theme.soft;
    c.lineWidth = 1;
    c.stroke();
  }

  // ------------------------------------------------------------------------------------------- bodies

  // Whether an earlier recording has the same colour.
  isRepeated(run) { return this.tint && run.number >= this.theme.runs.length; }

  colours(body, run, rgba) {
    if (rgba && !this.tint) return { fill: css(rgba, 1), edge: css(rgba, 0.5) };
    if (body < 0) return { fill: this.theme.faint, edge: this.theme.soft };
    const t = this.theme, n = this.data.bodies.length > t.fills.length ? 2 : t.fills.length;
    return this.tint ? { fill: this.theme.runs[run.number % t.runs.length], edge: this.theme.runs[run.number % t.runs.length] }
      : { fill: t.fills[body % n], edge: t.edges[body % n] };
  }

  // Two strokes on top of each other make an outlined bar.
  outlined(points, { fill, edge }, width) {
    const closed = points.length > 2;
    if (this.ghost) {
      this.line(points, edge, width, { closed, fill: closed ? edge : null });
      return;
    }
    this.line(points, edge, width + 2.4, { closed, fill: closed ? edge : null });
    this.line(points, fill, width, { closed, fill: closed ? fill : null });
  }

  barWidth(f, a, b) {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    return Math.max(2 * f.radius * this.camera.scale, Math.min(2.2 * this.r, Math.max(0.12 * length, 0.8 * this.r)));
  }

  body(run, b) {
    const f = this.figures[b], colours = this.colours(f.body, run, f.rgba), c = this.camera;
    const points = f.points.map(p => this.at(run, f.body, p));
    for (const p of this.arms[b]) {
      const tip = this.at(run, f.body, p), root = this.root(run, f.body, f, points, tip);
      if (Math.hypot(tip[0] - root[0], tip[1] - root[1]) > this.r) this.outlined([tip, root], colours, 0.8 * this.r);
    }
    if (f.kind === "bar") {
      this.outlined(points, colours, this.barWidth(f, points[0], points[1]));
    } else if (f.kind === "ball") {
      this.circle(points[0], Math.max(f.radius * c.scale, 1.5 * this.r), colours.edge, 1.4, this.ghost ? colours.edge : colours.fill);
    } else {
      this.outlined(hull(points), colours, (f.shape || "") !== "none" ? 0.6 : 1.6 * this.r);
    }
    if (!this.ghost) this.edges(run, f.body, f, points, colours.edge);
    if (!this.ghost && this.isRepeated(run)) this.line(points, this.theme.paper, 1.6, { closed: points.length > 2, dash: [6, 4] });
  }

  // The point of the figure from which a joint elsewhere on the body is reached.
  root(run, b, f, points, joint) {
    let best = this.at(run, b, [0, 0, 0]);
    for (const p of f.kind === "bar" ? points : []) {
      if (Math.hypot(p[0] - joint[0], p[1] - joint[1]) < Math.hypot(best[0] - joint[0], best[1] - joint[1])) best = p;
    }
    return best;
  }

  edges(run, b, f, points, colour) {
    const depth = this.camera.depth(run.point(b, f.centre || [0, 0, 0]));
    for (let i = 0; i < f.edges.length; i += 2) {
      const [j, k] = [f.edges[i], f.edges[i + 1]];
      const mean = (this.camera.depth(run.point(b, f.points[j])) + this.camera.depth(run.point(b, f.points[k]))) / 2;
      if (f.kind !== "solid" || mean > depth) this.line([points[j], points[k]], colour, 0.9);
    }
  }

  bodies(run) {
    const order = this.figures.map((_, i) => i).filter(i => !this.figures[i].hidden); // a rotor turns at no place of its own
    const depths = this.figures.map(f => this.planar ? 0 : this.camera.depth(run.point(f.body, f.centre || [0, 0, 0])));
    if (!this.planar) order.sort((i, j) => depths[i] - depths[j]);
    const bars = this.figures.length > 150 && this.planar && this.figures.every(f => f.kind === "bar" && f.shape === "none");
    if (bars) this.manyBars(run); else order.forEach(b => this.body(run, b));
  }

  // Thousands of bars in four strokes.
  manyBars(run) {
    const c = this.context, sets = new Map();
    this.figures.forEach((f, b) => {
      const { fill, edge } = this.colours(b, run);
      const set = sets.get(fill) || { fill, edge, lines: [] };
      set.lines.push(this.at(run, b, f.points[0]), this.at(run, b, f.points[1]));
      sets.set(fill, set);
    });
    const width = this.barWidth(this.figures[0], ...[...sets.values()][0].lines);
    c.setLineDash([]);
    for (const edge of [true, false]) {
      for (const set of sets.values()) {
        c.beginPath();
        for (let i = 0; i < set.lines.length; i += 2) {
          c.moveTo(set.lines[i][0], set.lines[i][1]);
          c.lineTo(set.lines[i + 1][0], set.lines[i + 1][1]);
        }
        c.strokeStyle = edge ? set.edge : set.fill;
        c.lineWidth = width + (edge ? 1.6 : 0);
        c.stroke();
      }
    }
  }

  // ------------------------------------------------------------------------------------------- joints

  support(p) {
    const r = this.r, w = 2.1 * r, h = 3 * r, t = this.theme;
    this.line([[p[0] - w, p[1] + h], p, [p[0] + w, p[1] + h]], t.ink, 1.5, { closed: true, fill: t.paper });
    const left = [p[0] - 1.6 * w, p[1] + h], right = [p[0] + 1.6 * w, p[1] + h];
    this.line([left, right], t.ink, 1.5);
    this.hatch(left, right);
  }

  guide(run, g) {
    let a = this.at(run, g.base, g.low), b = this.at(run, g.base, g.high);
    if (g.base >= 0) {
      this.line([a, b], this.theme.ink, 7);
      this.line([a, b], this.theme.paper, 4.5);
      return;
    }
    this.line([a, b], this.theme.ink, 1.5);
    if (this.planar) {
      if (a[0] > b[0]) [a, b] = [b, a];
      this.hatch(a, b);
    }
  }

  axisLine(run, joint) {
    const x = run.point(joint.b, joint.at_b), d = run.direction(joint.b, joint.axis_b), l = 0.05 * this.size;
    this.line([-l, l].map(s => this.camera.project(x.map((v, k) => v + s * d[k]))), this.theme.ink, 1.1, { dash: [7, 3, 1, 3] });
  }

  joint(run, r, i) {
    const joint = this.data.joints[i], a = this.at(run, joint.a, joint.at_a), b = this.at(run, joint.b, joint.at_b);
    if (joint.rotor || run.isOpen(joint)) return;
    const g = this.guides[r][i], grounded = joint.a < 0 || joint.b < 0;
    if (g && g.base >= 0) this.guide(run, g);
    if (!this.planar && joint.axis_b && !SLIDES.includes(joint.look)) this.axisLine(run, joint);
    if (grounded && !NO_FOOT.includes(joint.look)) this.support(joint.a < 0 ? a : b);
    drawSymbol(this, run, joint, a, b);
  }

  // Redundant: dashed ring; worst drift: square; near a singular position: double ring.
  marks(run, over) {
    const t = this.theme, singular = run.singularAt(run.t, over.glow), worst = run.reactions ? run.reactions.worst : -1;
    if (over.paths) this.places[run.number].forEach(place => this.place(place));
    this.data.joints.forEach((joint, i) => {
      const p = this.at(run, joint.b, joint.at_b), s = Math.max(2.1 * this.r, 5);
      if (joint.redundant) this.circle(p, s, t.redundant, 1.8, null, [3.5, 3]);
      if (i === worst && run.reactions.gaps[i] > 1e-9 * this.data.scale) {
        const q = 1.25 * s;
        this.line([[p[0], p[1] - q], [p[0] + q, p[1]], [p[0], p[1] + q], [p[0] - q, p[1]]], t.worst, 1.8, { closed: true });
      }
      if (singular.has(i)) {
        this.circle(p, 1.35 * s, t.singular, 2.2);
        this.circle(p, 1.8 * s, t.singular, 1.2);
      }
    });
  }

  // On a path, as on the time line: a diamond where the position is singular, open where it is nearly so, a triangle where the motion is
  // not determined, a cross where the assembly changed, a square where the run failed.
  place({ kind, x }) {
    const [a, b] = this.camera.project(x), s = 4.5, { paper, singular } = this.theme;
    const shape = points => this.line(points.map(([u, v]) => [a + s * u, b + s * v]), singular, 1.6, { closed: true, fill: kind === "near" ? paper : singular });
    if (kind === "crossing" || kind === "near") shape([[0, -1], [1, 0], [0, 1], [-1, 0]]);
    else if (kind === "bifurcation") shape([[0, -1.1], [1.1, 0.8], [-1.1, 0.8]]);
    else if (kind === "end") shape([[-1, -1], [1, -1], [1, 1], [-1, 1]]);
    else for (const u of [-1, 1]) this.line([[a - s, b - u * s], [a + s, b + u * s]], singular, 2.4);
  }

  rods(run) {
    for (const joint of this.data.joints) {
      if (joint.look === "rod" && !run.isOpen(joint)) this.line([this.at(run, joint.a, joint.at_a), this.at(run, joint.b, joint.at_b)], this.theme.ink, 2.2);
    }
  }

  // ----------------------------------------------------------------------------- springs and dampers

  // Tendons, slack or not, and forces by formulas between two markers.
  ropes(run) {
    const at = i => run.point(this.data.markers[i].body, this.data.markers[i].at), draw = (points, dash) => this.line(points.map(p => this.camera.project(p)), this.theme.ink, 1.5, { dash });
    for (const { kind, from, to, over, pulleys, axis } of this.data.forces) {
      const ends = (axis || []).map(at);
      if (over.length) draw(wound(over.map(at), pulleys || over.map(() => 0), axis && ends[1].map((x, k) => x - ends[0][k])));
      if (kind === "force" && from >= 0 && to >= 0) draw([at(from), at(to)], [5, 4]);
    }
  }

  strut(run, force) {
    const m = this.data.markers, from = m[force.from], to = m[force.to];
    const a = this.at(run, from.body, from.at), b = this.at(run, to.body, to.at);
    const length = Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1e-9);
    force.width ??= Math.min(Math.max(1.3 * this.r, 0.03 * length), 2.6 * this.r);
    const r = force.width, ex = (b[0] - a[0]) / length, ey = (b[1] - a[1]) / length;
    const at = (along, aside) => [a[0] + along * ex + aside * ey, a[1] + along * ey - aside * ex];
    const stroke = (...p) => this.line(p.map(([u, v]) => at(u, v)), this.theme.ink, 1.5);
    const coil = (u, v, aside) => {
      force.turns ??= Math.min(Math.max(Math.floor(0.76 * (v - u) / (1.3 * r)), 6), 24); // a coil keeps its turns
      const inset = 0.12 * (v - u), run_ = v - u - 2 * inset, p = [[u, aside], [u + inset, aside]];
      for (let i = 0; i < force.turns; i++) p.push([u + inset + run_ * (i + 0.5) / force.turns, aside + (i % 2 ? -r : r)]);
      stroke(...p, [v - inset, aside], [v, aside]);
    };
    const dashpot = (u, v, aside) => {
      force.cylinder ??= Math.min(4.4 * r, 0.5 * (v - u));
      const l = force.cylinder, bottom = v - 0.25 * l, open = bottom - l, piston = Math.min(Math.max(u + 0.75 * l, open + 0.1 * l), bottom - 0.1 * l);
      stroke([open, aside + r], [bottom, aside + r], [bottom, aside - r], [open, aside - r]);
      stroke([u, aside], [piston, aside]);
      stroke([piston, aside - 0.75 * r], [piston, aside + 0.75 * r]);
      stroke([bottom, aside], [v, aside]);
    };
    if (force.stiffness > 0 && force.damping > 0) {
      const gap = 1.6 * r, first = 0.08 * length, last = length - first;
      stroke([0, 0], [first, 0]);
      stroke([first, -gap], [first, gap]);
      coil(first, last, gap);
      dashpot(first, last, -gap);
      stroke([last, -gap], [last, gap]);
      stroke([last, 0], [length, 0]);
    } else if (force.damping > 0) {
      dashpot(0, length, 0);
    } else {
      coil(0, length, 0);
    }
    for (const [marker, along, outward] of [[from, 0, -1], [to, length, 1]]) {
      if (marker.body >= 0) continue;
      const half = 2.2 * r, depth = 0.9 * r;
      stroke([along, -half], [along, half]);
      for (let i = 0; i < 5; i++) {
        const aside = half * (2 * (i + 0.5) / 5 - 1);
        this.line([at(along, aside), at(along + outward * depth, aside - 0.8 * depth)], this.theme.soft, 1);
      }
    }
  }

  // ------------------------------------------------------------------------------------------- arrows

  arrow(a, b, colour, dash) {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 2) return;
    const ex = (b[0] - a[0]) / length, ey = (b[1] - a[1]) / length, l = Math.min(9, 0.6 * length), w = 0.4 * l;
    this.line([a, [b[0] - 0.8 * l * ex, b[1] - 0.8 * l * ey]], colour, 2, { dash });
    this.line([b, [b[0] - l * ex - w * ey, b[1] - l * ey + w * ex], [b[0] - l * ex + w * ey, b[1] - l * ey - w * ex]], null, 0, { closed: true, fill: colour });
  }

  // px of the largest arrow
  get reach() { return 0.16 * Math.min(this.cell, this.cellHeight) * this.arrowScale; }

  vector(x, d, pixels, colour, dash) {
    const n = Math.hypot(...d);
    if (n === 0) return;
    const tip = x.map((v, k) => v + d[k] / n * pixels / this.camera.scale);
    this.arrow(this.camera.project(x), this.camera.project(tip), colour, dash);
  }

  velocities(run) {
    run.pose.forEach(pose => {
      const speed = Math.hypot(...pose.v);
      this.vector(pose.x, pose.v, this.reach * speed / (this.largestSpeed || 1), this.theme.speed);
    });
  }

  reactions(run) {
    this.data.joints.forEach((joint, i) => this.effort(run.reactionOf(i), () => run.point(joint.b, joint.at_b), this.theme.force));
  }

  // Forces and moments on bodies but weights, all of a body together.
  forces(run) {
    this.data.bodies.forEach((_, b) => this.effort(run.forceOn(b), () => run.pose[b].x, this.theme.applied));
  }

  // A force as an arrow from `at`. Its moment: in the plane an arc as long as the moment says; in space a dashed arrow along it.
  effort(r, at, colour) {
    if (!r) return;
    const x = at(), share = Math.hypot(...r.M) / (this.largestMoment || 1), turning = colour === this.theme.force ? this.theme.moment : colour;
    this.vector(x, r.F, this.reach * Math.hypot(...r.F) / (this.largestForce || 1), colour);
    if (share < 0.005) return;
    if (this.planar) this.arc(x, r.M[2] > 0 ? 1 : -1, share, turning); else this.vector(x, r.M, this.reach * share, turning, [5, 3]);
  }

  arc(x, turn, share, colour) {
    const o = this.camera.project(x), radius = Math.max(3.4 * this.r, 9), sweep = 1.7 * Math.PI * share, p = [];
    for (let k = 0; k <= 24; k++) {
      const angle = turn * (sweep * k / 24 - 0.25 * Math.PI);
      p.push([o[0] + radius * Math.cos(angle), o[1] - radius * Math.sin(angle)]);
    }
    this.line(p, colour, 2);
    const e = turn * (sweep - 0.25 * Math.PI), tip = p[24], ex = -turn * Math.sin(e), ey = -turn * Math.cos(e), l = 7;
    this.line([[tip[0] + 0.8 * l * ex, tip[1] + 0.8 * l * ey], [tip[0] - 3 * ey, tip[1] + 3 * ex], [tip[0] + 3 * ey, tip[1] - 3 * ex]], null, 0, { closed: true, fill: colour });
  }

  // ----------------------------------------------------------------------------------------- a frame

  path(run, r, k, until) {
    const path = this.paths[r][k], from = run.clock.times[0], share = run.end > from ? (until - from) / (run.end - from) : 1;
    const n = Math.round(Math.min(Math.max(share, 0), 1) * (path.length - 1)), c = this.context, p = [0, 0];
    c.beginPath();
    for (let i = 0; i <= n; i++) {
      this.camera.project(path[i], p);
      if (i) c.lineTo(p[0], p[1]); else c.moveTo(p[0], p[1]);
    }
    c.setLineDash(this.isRepeated(run) ? [6, 4] : []);
    c.strokeStyle = this.colours(this.tracks[k].body, run).edge;
    c.lineWidth = 1.2;
    c.globalAlpha = 0.75;
    c.stroke();
    c.globalAlpha = 1;
  }

  markers(run) {
    for (const i of this.shown) {
      const m = this.data.markers[i];
      this.circle(this.at(run, m.body, m.at), Math.min(2.6, 0.6 * this.r), null, 0, this.theme.ink);
    }
  }

  // One recording at its time; `over` holds what is switched on.
  run(run, r, t, over, alpha) {
    const c = this.context;
    run.seek(t);
    c.globalAlpha = alpha;
    this.guides[r].forEach(g => { if (g && g.base < 0) this.guide(run, g); });
    drawFaces(this, run);
    if (over.phases) this.phases(run, t, over);
    if (over.paths) this.tracks.forEach((_, k) => this.path(run, r, k, over.whole ? run.end : t));
    run.seek(t);
    c.globalAlpha = alpha;
    this.rods(run);
    this.bodies(run);
    for (const force of this.data.forces) if (force.kind === "spring_damper" && force.from >= -1 && force.to >= 0) this.strut(run, force);
    this.ropes(run);
    drawLines(this, run, false);
    if (this.data.joints.length <= 3000) this.data.joints.forEach((_, i) => this.joint(run, r, i));
    this.markers(run);
    c.globalAlpha = 1;
    this.over(run, over);
  }

  over(run, over) {
    if (over.marks) this.marks(run, over);
    if (over.velocities) this.velocities(run);
    if (over.reactions) this.reactions(run);
    if (over.forces) this.forces(run);
  }

  // Earlier poses, faint.
  phases(run, t, over) {
    const c = this.context, from = run.clock.times[0];
    this.ghost = true;
    for (let i = 1; i <= 7; i++) {
      const at = over.whole ? from + (run.end - from) * i / 8 : t - over.phase * i;
      if (at < from) break;
      run.seek(at);
      c.globalAlpha = 0.24 - 0.025 * i;
      this.rods(run);
      this.bodies(run);
    }
    this.ghost = false;
  }

  // Side by side: a row of at most three, else as many columns as show them largest. `span`: m, width and height of the motion.
  arrange([wide, high]) {
    const n = this.runs.length, room = cols => Math.min(this.width / cols / wide, this.height / Math.ceil(n / cols) / high);
    const counts = Array.from({ length: n }, (_, i) => i + 1);
    this.columns = !this.beside ? 1 : n <= 3 ? n : counts.reduce((best, cols) => room(cols) > room(best) ? cols : best, 1);
    this.rows = this.beside ? Math.ceil(n / this.columns) : 1;
  }

  // px, the size of one recording's part of the stage, and its corner.
  get cell() { return this.width / (this.columns || 1); }
  get cellHeight() { return this.height / (this.rows || 1); }
  left(r) { return this.beside ? r % this.columns * this.cell : 0; }
  top(r) { return this.beside ? Math.floor(r / this.columns) * this.cellHeight : 0; }

  begin(over, paper) {
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.globalAlpha = 1;
    c.clearRect(0, 0, this.width, this.height);
    if (paper) {
      c.fillStyle = this.theme.paper;
      c.fillRect(0, 0, this.width, this.height);
    }
    c.lineCap = c.lineJoin = "round";
    this.tint = this.runs.length > 1;
    this.arrowScale = over.arrows;
  }

  // `draw` for each recording that is shown, in its part of the stage.
  each(over, draw) {
    const c = this.context;
    this.runs.forEach((run, r) => {
      if (over.hidden.has(r)) return;
      c.save();
      if (this.beside) {
        c.translate(this.left(r), this.top(r));
        c.beginPath();
        c.rect(0, 0, this.cell, this.cellHeight);
        c.clip();
      }
      draw(run, r);
      c.restore();
    });
  }

  frame(t, over) {
    this.begin(over, true);
    this.each(over, (run, r) => this.run(run, r, t, over, this.tint && !this.beside ? 0.72 : 1));
  }

  // What lies on top of solid bodies.
  overlay(over) {
    this.begin(over, false);
    this.each(over, run => {
      drawLines(this, run, true);
      this.data.joints.forEach(joint => { if (joint.axis_b && !joint.rotor && this.data.joints.length < 40) this.axisLine(run, joint); });
      for (const force of this.data.forces) if (force.kind === "spring_damper") this.strut(run, force);
      this.ropes(run);
      this.markers(run);
      this.over(run, over);
    });
  }
}
