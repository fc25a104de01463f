// The page: time line, what is shown, pointing at things, keys. showTrammel is called with the data.
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const MARKS = { crossing: "◆", near: "◇", bifurcation: "▲", branch: "✕", end: "■", rejected: "", event: "●", impact: "✱", mode: "▿" };
const KINDS = { crossing: "singular position", near: "near a singular position", bifurcation: "singular position met at rest",
  branch: "branch change", end: "the run failed", rejected: "rejected steps",
  event: "event of the scene", impact: "impact", mode: "stick, slip, free or closed" };
const SINGULAR = ["crossing", "near", "bifurcation", "branch"];
const byId = id => document.getElementById(id);

function showTrammel(bytes) {
  const page = new Page(readBlock(bytes));
  page.begin();
  window.trammel = page; // for tests, and for whoever opens the console
}

class Page {
  constructor(data) {
    this.data = data;
    this.planar = data.dimension === 2;
    this.runs = data.runs.map((run, i) => new Run(data, run, i));
    this.from = Math.min(...this.runs.map(r => r.clock.times[0]));
    this.end = Math.max(...this.runs.map(r => r.end));
    this.t = this.from;
    fitMachine(data, this.runs);
    this.camera = new Camera(data);
    this.hidden = new Set();
    this.playing = false;
    this.drawing = new Drawing(byId("canvas"), data, this.runs, this.camera);
    this.step = (this.end - this.from) / Math.max(1, Math.round(this.runs[0].clock.n > 600 ? 600 : this.runs[0].clock.n - 1)) || 0.01;
    this.events = this.runs.flatMap(run => run.events.map(e => ({ ...e, run }))).sort((a, b) => a.t - b.t);
    this.stops = [...new Set(this.events.filter(e => e.kind !== "rejected").map(e => e.t))];
    this.cost = [];
  }

  begin() {
    this.words();
    this.chooseSpeed();
    this.space();
    this.themes();
    this.plots = new Plots(byId("plots"), byId("columns"), this.data, this.runs, t => this.seek(t));
    this.timeLine();
    this.legend();
    this.traces();
    this.listen();
    this.resize();
    this.plots.build(this.theme);
    this.seek(this.t);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches && this.end > this.from && !location.hash.includes("still")) this.play();
  }

  // -------------------------------------------------------------------------------------------- words

  words() {
    const { data } = this, title = data.title || data.scene;
    document.title = `${title} - Trammel`;
    byId("title").textContent = title;
    const kept = this.runs.map(r => r.clock.n).join(", ");
    byId("facts").textContent = `${data.scene}: ${data.bodies.length} ${data.bodies.length === 1 ? "body" : "bodies"}, ${data.joints.length} ${data.joints.length === 1 ? "joint" : "joints"}, `
      + `${digits(this.from, 4)} to ${digits(this.end, 5)} s${this.runs.length > 1 ? `, ${this.runs.length} recordings` : this.runs[0].label ? `, ${this.runs[0].label}` : ""}`;
    byId("footer").textContent = `${data.command ? data.command + " - " : ""}Trammel ${data.version}. Poses are kept to 1/8192 of the picture, `
      + `thinned to ${kept} of ${this.runs.map(r => r.rows).join(", ")} lines; numbers in plots have seven digits, those of poses four.`;
    byId("stage").setAttribute("aria-label", `Drawing of ${title}, moving`);
    byId("keys-short").textContent = "Space plays, Left and Right step, Shift+Left and Shift+Right go to events, [ and ] change the speed, 0 fits, + and - zoom, 4 6 8 2 move"
      + (this.planar ? "; drag moves, the wheel zooms." : "; drag turns, Shift+drag moves, the wheel zooms; with the picture focused arrows turn it.");
    for (const run of this.runs) run.notes.forEach(note => this.note(this.runs.length > 1 ? `${run.label}: ${note}` : note));
    const out = Math.max(...this.runs.map(r => r.left_out));
    byId("left-out").textContent = out > 0 ? `${out} columns of the recording are not in this page.` : "";
  }

  note(text) {
    const p = document.createElement("p");
    p.className = "notice";
    p.textContent = text;
    byId("notes").append(p);
  }

  legend() {
    const out = byId("legend"), t = this.theme;
    const item = (shape, text) => {
      const li = document.createElement("li"), ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
      svg.setAttribute("viewBox", "-9 -9 18 18");
      svg.setAttribute("aria-hidden", "true");
      for (const [name, attributes] of shape) {
        const e = document.createElementNS(ns, name);
        for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
        svg.append(e);
      }
      li.append(svg, text);
      out.append(li);
    };
    out.replaceChildren();
    const ring = (r, stroke, width, dash = "") => ["circle", { r, fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dash }];
    const names = list => list.slice(0, 6).map(j => j.name).join(", ") + (list.length > 6 ? " ..." : "");
    const redundant = this.data.joints.filter(j => j.redundant);
    if (redundant.length) item([ring(6, t.redundant, 1.8, "3.5 3")], `held twice (redundant): ${names(redundant)}`);
    for (const run of this.runs) {
      const worst = run.reactions ? run.reactions.worst : -1;
      if (!(worst >= 0 && run.reactions.gaps[worst] > 1e-9 * this.data.scale)) continue;
      item([["path", { d: "M0 -7L7 0L0 7L-7 0Z", fill: "none", stroke: t.worst, "stroke-width": 1.8 }]],
        `worst drift${this.runs.length > 1 ? ` of ${run.label}` : ""}: ${this.data.joints[worst].name}, ${digits(run.reactions.gaps[worst], 2)} m or rad`);
    }
    if (this.events.some(e => SINGULAR.includes(e.kind))) item([ring(5, t.singular, 2), ring(7.5, t.singular, 1)], "near a singular position");
    if (this.data.joints.some(j => j.driven)) item([["circle", { r: 5, fill: t.driven, stroke: t.ink, "stroke-width": 1.5 }]], "driven");
    const kinds = [...new Set(this.events.map(e => e.kind))].filter(k => k !== "rejected");
    kinds.forEach(k => { const li = document.createElement("li"); li.textContent = `${MARKS[k]} ${KINDS[k]}`; out.append(li); });
    if (this.events.some(e => e.kind === "rejected")) { const li = document.createElement("li"); li.textContent = "\u2758 rejected steps"; out.append(li); }
  }

  // Which paths are drawn.
  traces() {
    const { drawing } = this, list = byId("traces");
    for (const track of drawing.tracers) {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = drawing.tracks.some(t => t.name === track.name);
      box.addEventListener("change", () => {
        drawing.trace(drawing.tracers.filter(t => t === track ? box.checked : drawing.tracks.includes(t)));
        if (this.solid) this.solid.trace();
        if (box.checked) byId("show-paths").checked = true;
        this.draw();
      });
      label.append(box, ` ${track.name}`);
      list.append(label);
    }
    byId("tracer").hidden = !drawing.tracers.length;
  }

  // ---------------------------------------------------------------------------------- space (WebGL2)

  space() {
    byId("reactions-label").hidden = !this.runs.some(r => r.reactions);
    byId("forces-label").hidden = !this.runs.some(r => r.force && r.force.size);
    if (this.planar) return;
    let why = "";
    if (typeof Space === "undefined" || typeof THREE === "undefined") {
      why = "the program that wrote it was built without three.js (npm was not at hand)";
    } else if (location.hash.includes("lines")) {
      why = "it was asked for lines";
    } else {
      try {
        this.solid = new Space(byId("stage"), this.drawing, this.camera);
        byId("show-phases").closest("label").hidden = true; // poses of solids would hide each other
      } catch (problem) {
        why = "this browser has no WebGL2 at hand";
      }
    }
    if (why) this.note(`Shown as a line drawing: ${why}.`);
  }

  // --------------------------------------------------------------------------------------------- time

  chooseSpeed() {
    const wanted = (this.end - this.from) / 10; // the whole in some ten seconds
    const select = byId("speed");
    this.speed = this.end - this.from <= 30 && this.end - this.from >= 3 ? 1
      : SPEEDS.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best, 1);
    for (const s of SPEEDS) {
      const option = document.createElement("option");
      option.value = s;
      option.textContent = s === 1 ? "real time" : `\u00d7 ${s}`;
      option.selected = s === this.speed;
      select.append(option);
    }
  }

  seek(t) {
    this.t = Math.min(Math.max(t, this.from), this.end);
    this.draw();
    this.plots.move(this.t);
    const slider = byId("time"), share = this.end > this.from ? (this.t - this.from) / (this.end - this.from) : 0;
    slider.value = Math.round(10000 * share);
    const text = `${digits(this.t, 6)} s`;
    slider.setAttribute("aria-valuetext", text);
    const clock = byId("clock");
    (clock.firstElementChild || clock.appendChild(document.createElement("b"))).textContent = `t = ${this.t.toFixed(this.decimals ??= Math.max(0, 4 - Math.ceil(Math.log10(this.end - this.from || 1))))} s`;
  }

  play(on = !this.playing) {
    this.playing = on && this.end > this.from;
    const button = byId("play");
    button.textContent = this.playing ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(this.playing));
    if (!this.playing) return;
    if (this.t >= this.end) this.t = this.from;
    this.last = undefined;
    const turn = ++this.turn || (this.turn = 1);
    const frame = now => {
      if (!this.playing || turn !== this.turn) return;
      const dt = this.last === undefined ? 0 : Math.min(now - this.last, 100) / 1000 * this.speed;
      this.last = now;
      let t = this.t + dt;
      if (t > this.end) {
        if (byId("loop").checked) t = this.from + (t - this.end) % (this.end - this.from);
        else { this.seek(this.end); this.play(false); return; }
      }
      this.seek(t);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  toEvent(direction) {
    const slack = 1e-9 * (this.end - this.from), list = direction > 0 ? this.stops.filter(t => t > this.t + slack) : this.stops.filter(t => t < this.t - slack).reverse();
    this.play(false);
    this.seek(list.length ? list[0] : direction > 0 ? this.end : this.from);
  }

  timeLine() {
    const strip = byId("events"), list = byId("event-list"), length = this.end - this.from || 1;
    for (const e of this.events) {
      const mark = document.createElement("i");
      mark.className = e.kind;
      mark.textContent = MARKS[e.kind];
      mark.title = `t = ${digits(e.t, 6)} s: ${e.text}`;
      mark.style.left = `${100 * (e.t - this.from) / length}%`;
      mark.addEventListener("click", () => { this.play(false); this.seek(e.t); });
      strip.append(mark);
    }
    const told = this.events.filter(e => e.kind !== "rejected");
    list.hidden = !told.length;
    list.firstElementChild.textContent = `${told.length} ${told.length === 1 ? "event" : "events"}`;
    for (const e of told.slice(0, 300)) {
      const li = document.createElement("li"), button = document.createElement("button"), text = document.createElement("span");
      button.type = "button";
      button.textContent = `${MARKS[e.kind]} ${digits(e.t, 6)} s`;
      button.addEventListener("click", () => { this.play(false); this.seek(e.t); });
      text.textContent = (this.runs.length > 1 ? `${e.run.label}: ` : "") + e.text;
      li.append(button, text);
      list.lastElementChild.append(li);
    }
    byId("previous-event").hidden = byId("next-event").hidden = !this.stops.length;
  }

  // ------------------------------------------------------------------------------------------ drawing

  over() {
    const on = id => byId(id).checked;
    return { paths: on("show-paths"), phases: on("show-phases"), marks: on("show-marks"), velocities: on("show-velocities"), reactions: on("show-reactions"), forces: on("show-forces"),
      names: on("show-names"), arrows: 2 ** (Number(byId("arrows").value) / 4), hidden: this.hidden, glow: this.playing ? 0.25 * this.speed : 0, phase: (this.end - this.from) / 60, whole: !this.playing && this.t === this.from };
  }

  draw() {
    const begin = performance.now(), over = this.over(), d = this.drawing;
    d.tint = this.runs.length > 1;
    if (byId("follow").checked) this.follow();
    if (this.solid) this.solid.frame(this.t, over); else d.frame(this.t, over);
    this.runs.forEach(run => run.seek(this.t));
    this.names(over);
    this.scales(over);
    this.cost.push(performance.now() - begin);
    if (this.cost.length > 120) this.cost.shift();
  }

  // The middle of the bodies stays in the middle of the stage.
  follow() {
    const run = this.runs.find((_, i) => !this.hidden.has(i)) || this.runs[0], n = run.pose.length || 1;
    run.seek(this.t);
    this.camera.follow([0, 1, 2].map(k => run.pose.reduce((sum, pose) => sum + pose.x[k], 0) / n));
  }

  // Names of markers, joints and bodies as text of the document.
  names(over) {
    const box = byId("labels"), wanted = [], first = this.runs.findIndex((_, i) => !this.hidden.has(i));
    if (over.names && !this.runs.every((_, i) => this.hidden.has(i))) {
      const run = this.runs[first], { bodies, joints, markers } = this.data;
      if (bodies.length <= 40) bodies.forEach((b, i) => { if (!b.rotor) wanted.push([b.name, run.pose[i].x, "body"]); });
      if (joints.length <= 60) joints.forEach(j => { if (!j.rotor) wanted.push([j.name, run.point(j.b, j.at_b), "joint"]); });
      if (markers.length <= 40) this.drawing.shown.forEach(i => wanted.push([markers[i].name, run.point(markers[i].body, markers[i].at), "marker"]));
    }
    if (this.drawing.beside) this.runs.forEach((run, r) => { if (!this.hidden.has(r)) wanted.push([run.label, r, "run"]); });
    else if (this.runs.length > this.theme.runs.length) {
      this.runs.forEach((run, r) => { if (!this.hidden.has(r) && run.pose.length) wanted.push([run.label, run.pose[run.pose.length - 1].x, "name"]); });
    }
    while (box.children.length > wanted.length) box.lastElementChild.remove();
    while (box.children.length < wanted.length) box.append(document.createElement("span"));
    wanted.forEach(([name, x, kind], i) => {
      const p = kind === "run" ? [0, 0] : this.camera.project(x), e = box.children[i], r = kind === "run" ? x : Math.max(first, 0);
      const d = kind === "run" ? [8, 4] : kind === "body" ? [-4 * name.length, 10] : [8, -22];
      if (e.textContent !== name) e.textContent = name;
      e.style.transform = `translate(${p[0] + d[0] + this.drawing.left(r)}px, ${p[1] + d[1] + this.drawing.top(r)}px)`;
      e.style.fontWeight = kind === "body" ? "600" : "400";
    });
  }

  scales(over) {
    const length = roundDown(150 / this.camera.scale), pixels = length * this.camera.scale, d = this.drawing;
    const key = [length, pixels.toFixed(1), over.velocities, over.reactions, over.forces, over.arrows, d.cell, d.cellHeight].join();
    if (key === this.scaleKey) return;
    this.scaleKey = key;
    const box = byId("scale");
    box.replaceChildren();
    const add = (width, text, colour) => {
      const span = document.createElement("span"), i = document.createElement("i");
      if (colour) { i.className = "arrow"; i.style.color = colour; }
      i.style.width = `${width}px`;
      span.append(i, text);
      box.append(span);
    };
    d.arrowScale = over.arrows;
    const arrow = (largest, unit, colour) => {
      if (!(largest > 0)) return;
      const value = roundDown(largest * Math.min(1, 90 / d.reach));
      add(d.reach * value / largest, `${digits(value, 3)} ${unit}`, colour);
    };
    add(pixels, lengthText(length));
    if (over.velocities) arrow(d.largestSpeed, "m/s", "var(--speed)");
    const force = over.reactions ? "force" : "applied", moment = over.reactions ? "moment" : "applied";
    if (over.reactions || over.forces) arrow(d.largestForce, "N", `var(--${force})`);
    if ((over.reactions || over.forces) && !this.planar) arrow(d.largestMoment, "N m", `var(--${moment})`);
  }

  themes() {
    const dark = matchMedia("(prefers-color-scheme: dark)"), printing = matchMedia("print");
    const choose = () => {
      this.theme = this.drawing.theme = dark.matches && !printing.matches ? DARK : LIGHT;
      if (this.solid) this.solid.dress(this.theme);
      if (this.plots) { this.legend(); this.plots.build(this.theme); this.draw(); }
    };
    dark.addEventListener("change", choose);
    printing.addEventListener("change", choose);
    addEventListener("beforeprint", () => { this.theme = this.drawing.theme = LIGHT; if (this.solid) this.solid.dress(LIGHT); this.resize(); });
    addEventListener("afterprint", () => { choose(); this.resize(); });
    choose();
  }

  resize() {
    const box = byId("stage").getBoundingClientRect(), ratio = Math.min(devicePixelRatio || 1, 3);
    const width = Math.max(box.width - 2, 50), height = Math.max(box.height - 2, 50);
    this.drawing.resize(width, height, ratio);
    if (this.solid) this.solid.resize(width, height, ratio);
    const extent = this.drawing.extent();
    this.camera.fit(width, height, 0, extent);
    this.drawing.arrange(this.camera.span);
    const { cell, cellHeight } = this.drawing;
    this.camera.fit(cell, cellHeight, Math.min(56, 0.1 * cell, 0.1 * cellHeight), extent);
    if (byId("follow").checked) this.camera.near(1.3 * this.drawing.own);
    this.scaleKey = "";
    if (this.plots && this.plots.panels.length) this.plots.resize();
    this.draw();
  }

  // ---------------------------------------------------------------------------------------- pointing

  // What is under the pointer: the nearest joint within 12 px, else the nearest body.
  under(px, py) {
    let best = null, least = 12;
    this.runs.forEach((run, r) => {
      if (this.hidden.has(r)) return;
      run.seek(this.t);
      const left = this.drawing.left(r), top = this.drawing.top(r);
      this.data.joints.forEach((joint, i) => {
        if (joint.rotor) return;
        const p = this.camera.project(run.point(joint.b, joint.at_b)), d = Math.hypot(p[0] + left - px, p[1] + top - py);
        if (d < least) { least = d; best = { run, joint: i }; }
      });
    });
    if (best) return best;
    least = 10;
    this.runs.forEach((run, r) => {
      if (this.hidden.has(r)) return;
      run.seek(this.t);
      this.drawing.figures.forEach(f => {
        if (f.hidden || f.body < 0) return;
        const points = f.points.map(p => this.camera.project(run.point(f.body, p))), d = distance(points, px - this.drawing.left(r), py - this.drawing.top(r)) - f.radius * this.camera.scale;
        if (d < least) { least = d; best = { run, body: f.body }; }
      });
    });
    return best;
  }

  describe(found) {
    const { run } = found, number = (x, n = 4) => digits(Math.abs(x) < 1e-12 ? 0 : x, n), head = this.runs.length > 1 ? `${run.label}\n` : "";
    const vector = v => `(${v.slice(0, this.data.dimension).map(x => number(x)).join(", ")})`;
    if (found.joint !== undefined) {
      const j = this.data.joints[found.joint], name = i => i < 0 ? "ground" : this.data.bodies[i].name, r = run.reactionOf(found.joint);
      const lines = [`${j.name}: ${j.type} of ${name(j.a)} and ${name(j.b)}`, `at ${vector(run.point(j.b, j.at_b))} m`];
      if (r) {
        lines.push(`force on ${name(j.b)} ${vector(r.F)} N, ${number(Math.hypot(...r.F))} N`);
        if (Math.hypot(...r.M) > 1e-9 * (this.drawing.largestMoment || 1)) lines.push(`moment ${this.planar ? number(r.M[2]) : vector(r.M)} N m`);
        lines.push(`open by ${digits(run.reactions.gaps[found.joint], 2)} m or rad at most`);
      }
      if (j.redundant) lines.push(["redundant along the whole motion", "redundant in the position of the start", "contradicts other joints"][j.redundant - 1]);
      return head + lines.join("\n");
    }
    const b = this.data.bodies[found.body], pose = run.pose[found.body];
    const lines = [`${b.name}: ${number(b.mass)} kg`, `centre ${vector(pose.x)} m`, `velocity ${vector(pose.v)} m/s, ${number(Math.hypot(...pose.v))} m/s`];
    if (this.planar && !b.point_mass) lines.push(`angle ${number(pose.angle)} rad, ${number(pose.rate)} rad/s`);
    const on = run.forceOn(found.body);
    if (on) lines.push(`forces but weight ${vector(on.F)} N, moment ${this.planar ? number(on.M[2]) : vector(on.M)} N m`);
    return head + lines.join("\n");
  }

  point(event) {
    const box = byId("stage").getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, tip = byId("tip");
    const found = this.under(x, y);
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = this.describe(found);
    const w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = `${Math.max(4, Math.min(x + 14, box.width - w - 8))}px`;
    tip.style.top = `${y + 18 + h > box.height ? Math.max(4, y - h - 10) : y + 18}px`;
  }

  // -------------------------------------------------------------------------------------- listening

  listen() {
    const click = (id, action) => byId(id).addEventListener("click", action);
    const step = n => { this.play(false); this.seek(this.t + n * this.step); };
    click("play", () => this.play());
    click("start", () => { this.seek(this.from); });
    click("back", () => step(-1));
    click("on", () => step(1));
    click("previous-event", () => this.toEvent(-1));
    click("next-event", () => this.toEvent(1));
    click("fit", () => this.fit());
    byId("time").addEventListener("input", e => { this.play(false); this.seek(this.from + (this.end - this.from) * e.target.value / 10000); });
    byId("speed").addEventListener("change", e => { this.speed = Number(e.target.value); });
    byId("column-filter").addEventListener("input", e => this.plots.filter(e.target.value));
    for (const id of ["show-paths", "show-phases", "show-marks", "show-names", "show-velocities", "show-reactions", "show-forces", "arrows"]) byId(id).addEventListener("input", () => this.draw());
    byId("follow").checked = this.drawing.travels; // looked at from near
    byId("follow").addEventListener("input", () => this.fit());
    this.runButtons();
    this.pointers();
    document.addEventListener("keydown", e => this.key(e, step));
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
  }

  runButtons() {
    if (this.runs.length < 2) return;
    const only = Number((/run=(\d+)/.exec(location.hash) || [])[1] ?? NaN); // a link to one of them
    this.runs.forEach((run, i) => {
      if (only < this.runs.length && i !== only) this.hidden.add(i);
      const label = document.createElement("label"), box = document.createElement("input"), mark = document.createElement("i");
      box.type = "checkbox";
      box.checked = !this.hidden.has(i);
      box.addEventListener("change", () => { if (box.checked) this.hidden.delete(i); else this.hidden.add(i); this.draw(); });
      const colour = this.theme.runs[i % this.theme.runs.length];
      mark.style.background = i < this.theme.runs.length ? colour : `repeating-linear-gradient(90deg, ${colour} 0 3px, transparent 0 5px)`;
      label.append(box, mark, run.label);
      byId("runs").append(label);
    });
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.id = "beside";
    box.addEventListener("change", () => this.arrange(box.checked));
    label.append(box, "Side by side");
    byId("runs").append(label);
  }

  // Over each other, or side by side.
  arrange(beside) {
    this.drawing.beside = beside;
    this.camera.reset();
    this.resize();
  }

  fit() {
    this.camera.reset();
    this.resize();
  }

  pointers() {
    const stage = byId("stage"), held = new Map();
    let spread = 0;
    stage.addEventListener("pointerdown", e => { held.set(e.pointerId, [e.clientX, e.clientY]); stage.setPointerCapture(e.pointerId); spread = 0; });
    stage.addEventListener("pointermove", e => {
      const before = held.get(e.pointerId);
      if (!before) { this.point(e); return; }
      const dx = e.clientX - before[0], dy = e.clientY - before[1];
      held.set(e.pointerId, [e.clientX, e.clientY]);
      byId("tip").hidden = true;
      if (held.size === 2) {
        const [a, b] = [...held.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]), box = stage.getBoundingClientRect();
        if (spread) this.camera.zoomAt(now / spread, (a[0] + b[0]) / 2 - box.left, (a[1] + b[1]) / 2 - box.top);
        spread = now;
        this.camera.shift[0] += dx / 2;
        this.camera.shift[1] += dy / 2;
      } else if (this.planar || e.shiftKey || e.buttons & 6) {
        this.camera.shift[0] += dx;
        this.camera.shift[1] += dy;
      } else {
        this.camera.orbit(0.008 * dx, 0.008 * dy);
      }
      this.draw();
    });
    const release = e => { held.delete(e.pointerId); spread = 0; };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
    stage.addEventListener("contextmenu", e => e.preventDefault());
    stage.addEventListener("wheel", e => {
      const box = stage.getBoundingClientRect();
      e.preventDefault();
      this.camera.zoomAt(Math.exp(-0.0015 * e.deltaY), e.clientX - box.left, e.clientY - box.top);
      this.draw();
    }, { passive: false });
  }

  // Arrows on the focused picture turn or move it; elsewhere they step.
  key(e, step) {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || e.target.type === "search") return;
    const slider = e.target.type === "range", onStage = e.target === byId("stage"), arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    const pan = { 4: [-1, 0], 6: [1, 0], 8: [0, -1], 2: [0, 1] }[e.key];
    let done = true;
    if (e.key === " " && e.target.tagName !== "BUTTON" && e.target.type !== "checkbox" && e.target.tagName !== "SUMMARY") this.play();
    else if (arrow && slider && !(e.shiftKey && arrow[0])) done = false;
    else if (arrow && arrow[0] && e.shiftKey) this.toEvent(arrow[0]);
    else if (arrow && onStage && !this.planar) { this.camera.orbit(0.08 * arrow[0], 0.08 * arrow[1]); this.draw(); }
    else if (arrow && onStage && arrow[1]) { this.camera.shift[1] += 20 * arrow[1]; this.draw(); }
    else if (arrow && arrow[0]) step(arrow[0]);
    else if (pan) { this.camera.shift[0] += 20 * pan[0]; this.camera.shift[1] += 20 * pan[1]; this.draw(); }
    else if (e.key === "Home" && !slider) this.seek(this.from);
    else if (e.key === "End" && !slider) this.seek(this.end);
    else if (e.key === "0") this.fit();
    else if (e.key === "+" || e.key === "-") { this.camera.zoomAt(e.key === "+" ? 1.2 : 1 / 1.2, this.camera.width / 2, this.camera.height / 2); this.draw(); }
    else if (e.key === "[" || e.key === "]") this.faster(e.key === "]" ? 1 : -1);
    else done = this.letter(e.key.toLowerCase());
    if (done) e.preventDefault();
  }

  letter(key) {
    const box = { p: "show-paths", f: "show-phases", m: "show-marks", n: "show-names", v: "show-velocities", r: "show-reactions", a: "show-forces", l: "loop" }[key];
    if (!box || byId(box).closest("[hidden]")) return false;
    byId(box).click();
    return true;
  }

  faster(n) {
    const i = Math.min(Math.max(SPEEDS.indexOf(this.speed) + n, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[i];
    byId("speed").value = String(this.speed);
  }

  // For tests: where points are on the stage, px.
  places() {
    this.runs.forEach(run => run.seek(this.t));
    return this.runs.map((run, r) => this.data.bodies.map((_, b) => {
      const p = this.camera.project(run.pose[b].x);
      return [p[0] + this.drawing.left(r), p[1] + this.drawing.top(r)];
    }));
  }
}

// px from a point to a polyline, 0 within a closed one.
function distance(points, x, y) {
  let least = Infinity, inside = false;
  const n = points.length;
  if (n === 1) return Math.hypot(points[0][0] - x, points[0][1] - y);
  for (let i = 0; i < n; i++) {
    const a = points[i], b = points[(i + 1) % n], dx = b[0] - a[0], dy = b[1] - a[1];
    const u = Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    least = Math.min(least, Math.hypot(a[0] + u * dx - x, a[1] + u * dy - y));
    if (n > 2 && (a[1] > y) !== (b[1] > y) && x < a[0] + (y - a[1]) * dx / dy) inside = !inside;
  }
  return inside ? 0 : least;
}
