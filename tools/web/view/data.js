// The data of the page: four bytes (length of a JSON text), the text, the bytes of the channels.
// A channel [n, planes, order, origin, quantum] holds n integers as byte planes of zigzag differences.
function readBlock(bytes) {
  const length = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  data.channels = data.channels.map(([n, planes, order, origin, quantum]) => {
    const packed = bytes.subarray(at, at += n * planes);
    let out = null;
    const read = () => out ??= unpackChannel(packed, n, planes, order, origin, quantum);
    read.quantum = Math.abs(quantum);
    return read;
  });
  return data;
}

function unpackChannel(packed, n, planes, order, origin, quantum) {
  const k = new Int32Array(n), out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let z = 0;
    for (let p = 0; p < planes; p++) z |= packed[p * n + i] << 8 * p;
    k[i] = z >>> 1 ^ -(z & 1);
  }
  for (let o = 0; o < order; o++) for (let i = 1; i < n; i++) k[i] += k[i - 1];
  for (let i = 0; i < n; i++) out[i] = origin + quantum * k[i];
  return out;
}

// Where t lies among increasing times: the first of four rows and their weights (the cubic through
// four neighbours, as the program has thinned them by).
class Clock {
  constructor(times) {
    this.times = times;
    this.n = times.length;
    this.first = 0;
    this.weight = [1, 0, 0, 0];
    this.slope = [0, 0, 0, 0];
    this.at = NaN;
  }

  index(t) {
    let low = 0, high = this.n - 1;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle;
    }
    return low;
  }

  seek(t) {
    if (t === this.at) return this;
    this.at = t;
    const x = this.times, count = Math.min(4, this.n);
    t = Math.min(Math.max(t, x[0]), x[this.n - 1]);
    this.first = Math.min(Math.max(this.index(t) - 1, 0), this.n - count);
    for (let i = 0; i < 4; i++) {
      let weight = i < count ? 1 : 0, slope = 0;
      const xi = x[this.first + i];
      for (let k = 0; k < count && i < count; k++) {
        if (k === i) continue;
        const xk = x[this.first + k];
        slope = slope * (t - xk) / (xi - xk) + weight / (xi - xk);
        weight *= (t - xk) / (xi - xk);
      }
      this.weight[i] = weight;
      this.slope[i] = slope;
    }
    return this;
  }

  slopes(values) { return Array.from(this.times, t => this.seek(t).of(values, this.slope)); }

  of(values, weights = this.weight) {
    let sum = 0;
    for (let i = 0; i < 4 && this.first + i < this.n; i++) sum += weights[i] * values[this.first + i];
    return sum;
  }
}

// One recording: poses, speeds, reactions at any time.
class Run {
  constructor(data, run, number) {
    Object.assign(this, run, { data, number });
    const channel = index => data.channels[index]();
    this.planar = data.dimension === 2;
    this.clock = new Clock(channel(run.poses.clock));
    this.end = this.clock.times[this.clock.n - 1];
    let at = run.poses.first;
    this.bodies = data.bodies.map(body => {
      const n = this.planar ? body.point_mass ? 2 : 3 : body.point_mass ? 3 : 7;
      return Array.from({ length: n }, () => channel(at++));
    });
    this.pose = data.bodies.map(() => ({ x: [0, 0, 0], R: [1, 0, 0, 0, 1, 0, 0, 0, 1], v: [0, 0, 0], angle: 0, rate: 0 }));
    if (run.reactions) {
      const n = this.planar ? 3 : 6;
      let next = run.reactions.first;
      this.reaction = data.joints.map(() => Array.from({ length: n }, () => channel(next++)));
      this.reactionClock = new Clock(channel(run.reactions.clock));
    }
    if (run.forces) {
      const n = this.planar ? 3 : 6;
      let next = run.forces.first;
      this.force = new Map(run.forces.bodies.map(b => [b, Array.from({ length: n }, () => channel(next++))]));
      this.forceClock = new Clock(channel(run.forces.clock));
    }
    this.switches = new Map(run.columns.filter(c => c.name.endsWith(".switch") && !run.columns.some(lock => lock.name.startsWith(`${c.name.slice(0, -6)}lock.`))).map(c =>
      [c.name.slice(0, -7), () => [channel(c.clock), channel(c.channel)]])); // of locks the joint stays
    this.t = NaN;
  }

  // A switched joint while it is open.
  isOpen({ name }) {
    const curve = this.switches.get(name)?.();
    return curve !== undefined && curve[1][new Clock(curve[0]).index(this.t)] < 0.5;
  }

  seek(t) {
    if (t === this.t) return;
    this.t = t;
    const c = this.clock.seek(t);
    for (let b = 0; b < this.bodies.length; b++) {
      const q = this.bodies[b], pose = this.pose[b];
      for (let k = 0; k < (this.planar ? 2 : 3); k++) {
        pose.x[k] = c.of(q[k]);
        pose.v[k] = c.of(q[k], c.slope);
      }
      if (this.planar && q.length === 3) {
        pose.angle = c.of(q[2]);
        pose.rate = c.of(q[2], c.slope);
        const cos = Math.cos(pose.angle), sin = Math.sin(pose.angle), R = pose.R;
        R[0] = cos; R[1] = -sin; R[3] = sin; R[4] = cos;
      } else if (q.length === 7) {
        rotation(c.of(q[3]), c.of(q[4]), c.of(q[5]), c.of(q[6]), pose);
      }
    }
  }

  // World position of a point of a body (-1: the ground).
  point(body, p, out = [0, 0, 0]) {
    const x = p[0], y = p[1], z = p[2];
    if (body < 0) {
      out[0] = x; out[1] = y; out[2] = z;
      return out;
    }
    const { x: o, R } = this.pose[body];
    out[0] = o[0] + R[0] * x + R[1] * y + R[2] * z;
    out[1] = o[1] + R[3] * x + R[4] * y + R[5] * z;
    out[2] = this.planar ? 0 : o[2] + R[6] * x + R[7] * y + R[8] * z;
    return out;
  }

  direction(body, d, out = [0, 0, 0]) {
    if (body < 0) { out[0] = d[0]; out[1] = d[1]; out[2] = d[2]; return out; }
    const R = this.pose[body].R;
    for (let i = 0; i < 3; i++) out[i] = R[3 * i] * d[0] + R[3 * i + 1] * d[1] + R[3 * i + 2] * d[2];
    return out;
  }

  // Force and moment on b of a joint, world axes; null when the recording does not have them.
  reactionOf(joint) {
    return this.reaction ? this.both(this.reaction[joint].map(y => this.reactionClock.seek(this.t).of(y))) : null;
  }

  // Force and moment about its centre on a body, without its weight; null where there is none.
  forceOn(body) {
    const f = this.force && this.force.get(body);
    return f ? this.both(f.map(y => valueAt([this.forceClock.times, y], this.t))) : null; // they jump
  }

  both(r) { return this.planar ? { F: [r[0], r[1], 0], M: [0, 0, r[2]] } : { F: r.slice(0, 3), M: r.slice(3) }; }

  // The smallest singular value at t; undefined where the recording does not have it.
  sigmaAt(t) {
    if (this.sigma === undefined) {
      const c = this.columns.find(column => column.name === "singularity.sigma");
      this.sigma = c ? { clock: new Clock(this.data.channels[c.clock]()), values: this.data.channels[c.channel]() } : null;
    }
    return this.sigma ? Math.max(0, this.sigma.clock.seek(t).of(this.sigma.values)) : undefined;
  }

  // Joints whose constraints depend on each other at t: those of the event that is nearest, while an error or a load counts
  // ten times there (sigma < 0.1), and for `glow` (s) beside it.
  singularAt(t, glow) {
    let best = null;
    for (const e of this.events) if (e.kind !== "rejected" && e.joints.length && (!best || Math.abs(e.t - t) < Math.abs(best.t - t))) best = e;
    if (!best) return new Set();
    const sigma = this.sigmaAt(t), far = Math.abs(best.t - t);
    return new Set(far <= glow || sigma < 0.1 && far <= 0.1 * (this.end - this.clock.times[0]) ? best.joints : []);
  }
}

function rotation(w, x, y, z, pose) {
  const n = Math.hypot(w, x, y, z) || 1, R = pose.R;
  w /= n; x /= n; y /= n; z /= n;
  R[0] = 1 - 2 * (y * y + z * z); R[1] = 2 * (x * y - w * z); R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z); R[4] = 1 - 2 * (x * x + z * z); R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y); R[7] = 2 * (y * z + w * x); R[8] = 1 - 2 * (x * x + y * y);
  pose.quaternion = [w, x, y, z];
}

// ----------------------------------------------------------------------------------------- numbers

const digits = (x, n) => x === 0 ? "0" : Number.isFinite(x) ? (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e7
  ? String(Number(x.toPrecision(n))) : x.toExponential(n - 1).replace(/\.?0+e/, "e").replace("e+", "e")) : "none";

function roundDown(x) { // 1, 2 or 5 times a power of ten, at most x
  const power = 10 ** Math.floor(Math.log10(x)), digit = x / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

function lengthText(x) {
  return x < 0.01 ? `${digits(1000 * x, 3)} mm` : x >= 1000 ? `${digits(x / 1000, 3)} km` : `${digits(x, 3)} m`;
}
