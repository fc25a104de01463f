// From the world to the stage: planar scenes as they are, spatial ones isometric at first, with "up"
// against gravity. Orbit, pan and zoom change it.
class Camera {
  constructor(data) {
    this.planar = data.dimension === 2;
    this.low = data.low;
    this.high = data.high;
    this.axes(data.gravity);
    this.reset();
  }

  axes(gravity) {
    const g = Math.hypot(...gravity);
    this.vertical = g > 0 && !this.planar ? gravity.map(x => -x / g) : [0, 0, 1];
    const u = this.vertical, e = [0, 0, 0];
    e[Math.abs(u[0]) < 0.7 ? 0 : 1] = 1;
    const along = dot(e, u);
    this.e1 = normalize(e.map((x, i) => x - along * u[i]));
    this.e2 = cross(u, this.e1);
  }

  reset() {
    this.azimuth = -Math.PI / 4;
    this.elevation = Math.asin(1 / Math.sqrt(3));
    this.zoom = 1;
    this.shift = [0, 0]; // px
    this.turn();
  }

  turn() {
    if (this.planar) {
      this.right = [1, 0, 0]; this.up = [0, 1, 0]; this.toward = [0, 0, 1];
      return;
    }
    const c = Math.cos(this.azimuth), s = Math.sin(this.azimuth), ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    const flat = this.e1.map((x, i) => c * x + s * this.e2[i]);
    this.toward = flat.map((x, i) => ce * x + se * this.vertical[i]);
    this.right = normalize(cross(this.vertical, flat));
    this.up = cross(this.toward, this.right);
  }

  orbit(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.min(Math.max(this.elevation + dy, -1.5), 1.5);
    this.turn();
  }

  // Fits the box of the motion (in space: `extra` alone) and `extra` points into width x height px.
  fit(width, height, margin, extra = []) {
    this.width = width;
    this.height = height;
    const a = [Infinity, Infinity], b = [-Infinity, -Infinity];
    const include = x => [this.right, this.up].forEach((axis, i) => {
      const at = dot(x, axis);
      a[i] = Math.min(a[i], at);
      b[i] = Math.max(b[i], at);
    });
    for (let i = 0; i < (this.planar || !extra.length ? 8 : 0); i++) include([0, 1, 2].map(k => i >> k & 1 ? this.high[k] : this.low[k]));
    extra.forEach(include);
    const w = b[0] - a[0], h = b[1] - a[1], largest = Math.max(w, h, 1e-9);
    this.span = [Math.max(w, 0.02 * largest), Math.max(h, 0.02 * largest)];
    const room = size => Math.max(size - 2 * margin, size / 3);
    this.base = Math.min(room(width) / Math.max(w, 0.02 * largest), room(height) / Math.max(h, 0.02 * largest));
    this.center = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }

  // As far away as suits what is `size` (m) large; center: what moves.
  near(size) { this.base = 0.62 * Math.min(this.width, this.height) / size; }
  follow(x) { this.center = [dot(x, this.right), dot(x, this.up)]; }

  get scale() { return this.base * this.zoom; } // px/m

  project(x, out = [0, 0]) {
    out[0] = this.width / 2 + this.shift[0] + this.scale * (dot(x, this.right) - this.center[0]);
    out[1] = this.height / 2 + this.shift[1] - this.scale * (dot(x, this.up) - this.center[1]);
    return out;
  }

  depth(x) { return dot(x, this.toward); }

  zoomAt(factor, px, py) {
    const before = this.zoom;
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.05), 400);
    factor = this.zoom / before;
    this.shift[0] = (px - this.width / 2) * (1 - factor) + this.shift[0] * factor;
    this.shift[1] = (py - this.height / 2) * (1 - factor) + this.shift[1] * factor;
  }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const normalize = a => { const n = Math.hypot(...a) || 1; return a.map(x => x / n); };

// Three axes, right-handed, the third along d.
function frame(d) {
  const e = [0, 0, 0];
  e[Math.abs(d[0]) < 0.7 ? 0 : 1] = 1;
  const b = normalize(cross(d, e));
  return [cross(b, d), b, d];
}

// What is held by no joint, or by one that opens, is left out of the box of the picture where it flies further than
// thrice the rest.
function fitMachine(data, runs) {
  const opens = new Set(runs.flatMap(r => r.columns.map(c => c.name)).filter(n => n.endsWith(".switch")).map(n => n.slice(0, -7)));
  const held = data.bodies.map((_, i) => data.joints.some(j => (j.a === i || j.b === i) && !opens.has(j.name)));
  const box = list => {
    const low = [0, 1, 2].map(() => Infinity), high = low.map(x => -x);
    for (const run of runs) {
      for (const b of list) {
        const q = run.bodies[b], reach = data.bodies[b].radius + Math.max(0, ...Array.from({ length: data.bodies[b].points.length / 3 }, (_, i) => Math.hypot(...data.bodies[b].points.slice(3 * i, 3 * i + 3))));
        for (let k = 0; k < data.dimension; k++) for (const x of q[k]) { low[k] = Math.min(low[k], x - reach); high[k] = Math.max(high[k], x + reach); }
      }
    }
    if (data.dimension === 2) low[2] = high[2] = 0;
    return { low, high, size: Math.hypot(...low.map((x, k) => high[k] - x)) };
  };
  const all = data.bodies.map((_, i) => i), machine = all.filter(i => held[i]), rest = box(machine);
  if (machine.length && box(all).size > 3 * rest.size) Object.assign(data, { low: rest.low, high: rest.high, scale: rest.size, machine: new Set(machine) });
}
