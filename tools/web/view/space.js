// Solid bodies in WebGL2 by three.js: boxes, cylinders and balls, each kind one instanced mesh with instanced
// edges; paths and the ground grid are lines. The camera is the drawing's, so that what is on top of it (marks,
// arrows, springs: the canvas) and what is under the pointer agree.
const KINDS_OF_SOLIDS = ["box", "cylinder", "ball", "wire", "inertia"]; // in this order, then meshes by their numbers

class Space {
  constructor(stage, drawing, camera) {
    const canvas = document.createElement("canvas");
    if (!canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true })) throw new Error("no WebGL2");
    Object.assign(this, { drawing, view: camera, data: drawing.data, runs: drawing.runs, size: drawing.size });
    this.renderer = new THREE.WebGLRenderer({ canvas, context: canvas.getContext("webgl2"), antialias: true });
    stage.prepend(canvas);
    canvas.id = "solid";
    this.scene = new THREE.Scene();
    this.camera = new THREE.OrthographicCamera();
    this.camera.matrixAutoUpdate = false;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x9aa0a8, 2.3));
    this.sun = new THREE.DirectionalLight(0xffffff, 1.7);
    this.scene.add(this.sun);
    this.parts = [];
    this.runs.forEach(run => this.collect(run));
    this.meshes();
    this.lines();
  }

  // ------------------------------------------------------------------------------------- what there is

  // A part is a solid fixed in a body: kind, size, place and axes in the body's frame.
  add(run, body, kind, size, at, axes, colour) {
    const local = new Float64Array(12);
    for (let k = 0; k < 3; k++) {
      for (let i = 0; i < 3; i++) local[3 * i + k] = axes[k][i] * size[k];
      local[9 + k] = at[k];
    }
    this.parts.push({ run, body, kind, local, colour });
  }

  // A rod from p to q, both in the body's frame.
  rod(run, body, p, q, radius, colour, kind = "cylinder") {
    const d = q.map((x, i) => x - p[i]), length = Math.hypot(...d);
    if (length < 1e-6 * this.size) return;
    this.add(run, body, kind, [radius, radius, length], p.map((x, i) => (x + q[i]) / 2), frame(d.map(x => x / length)), colour);
  }

  collect(run) {
    const unit = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], thin = 0.004 * this.size;
    this.data.bodies.forEach((b, i) => {
      const f = this.drawing.figures[i], own = { body: i }, size = b.size.slice();
      if (f.hidden) return;
      if (b.shape === "rod") this.add(run, i, "cylinder", [Math.max(size[1], thin), Math.max(size[1], thin), size[0]], [0, 0, 0], frame([1, 0, 0]), own);
      else if (b.shape === "disc") this.add(run, i, "cylinder", [size[0], size[0], Math.max(size[1], thin)], [0, 0, 0], unit, own);
      else if (b.shape === "cylinder") this.add(run, i, "cylinder", [size[0], size[0], size[1]], [0, 0, 0], frame(unit[b.axis]), own);
      else if (b.shape === "box") this.add(run, i, "box", size.map(x => Math.max(x, thin)), [0, 0, 0], unit, own);
      else if (b.shape === "sphere") this.add(run, i, "ball", [size[0], size[0], size[0]], [0, 0, 0], unit, own);
      else if (b.box) this.add(run, i, "inertia", b.box.map(x => Math.max(x, thin)), [0, 0, 0], turned(b.turn), own);
      else this.add(run, i, "ball", [2.5 * thin, 2.5 * thin, 2.5 * thin], [0, 0, 0], unit, own);
      this.arms(run, i, f, own, thin);
    });
    this.data.looks.forEach(look => { if (!look.hidden) this.look(run, look); });
    this.data.joints.forEach(joint => { if (!joint.rotor) solidSymbol(this, run, joint); });
    solidLines(this, run, thin);
    if (run.number === 0) this.drawing.guides.forEach((guides, r) => guides.forEach(g => { if (g && g.base < 0) this.rod(this.runs[r], -1, g.low, g.high, 0.6 * thin, { ink: true }); }));
  }

  // A shape for eyes.
  look(run, { body, look, size, at, turn, rgba, mesh }) {
    const axes = turned(turn), own = { body, rgba }, round = [size[0], size[0], size[0]];
    const end = s => at.map((x, k) => x + s * size[1] * axes[2][k] / 2);
    if (look === "sphere") this.add(run, body, "ball", round, at, axes, own);
    else if (look === "ellipsoid") this.add(run, body, "ball", size, at, axes, own);
    else if (look === "cylinder") this.add(run, body, "cylinder", [size[0], size[0], size[1]], at, axes, own);
    else if (look === "capsule") {
      this.add(run, body, "wire", [size[0], size[0], size[1]], at, axes, own);
      for (const s of [-1, 1]) this.add(run, body, "ball", round, end(s), axes, own);
    } else this.add(run, body, look === "mesh" ? mesh : "box", size, at, axes, own);
  }

  // Thin rods to the joints of a body.
  arms(run, i, f, own, thin) {
    const root = p => f.kind === "bar" && f.shape === "rod" ? f.points.reduce((best, q) => gap(p, q) < gap(p, best) ? q : best, [0, 0, 0]) : [0, 0, 0];
    for (const j of this.data.joints) {
      for (const [body, at] of [[j.a, j.at_a], [j.b, j.at_b]]) if (body === i) this.rod(run, i, root(at), at, thin, own);
    }
  }

  // ------------------------------------------------------------------------------------------- meshes

  meshes() {
    const cube = new THREE.BoxGeometry(1, 1, 1);
    const faces = { box: cube, inertia: cube, cylinder: new THREE.CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2), ball: new THREE.SphereGeometry(1, 28, 18),
      wire: new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2) };
    this.kinds = [];
    for (const kind of new Set([...KINDS_OF_SOLIDS, ...this.parts.map(p => p.kind)])) {
      const parts = this.parts.filter(p => p.kind === kind);
      if (!parts.length) continue;
      const glass = kind === "inertia" ? { transparent: true, opacity: 0.42, depthWrite: false } : {}; // the skeleton shows through
      const material = new THREE.MeshLambertMaterial({ ...glass, ...faces[kind] ? {} : { side: 2 }, polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 1.5 });
      const mesh = new THREE.InstancedMesh(faces[kind] || triangles(this.data.looks[kind]), material, parts.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.frustumCulled = false;
      const edges = kind === "wire" || !faces[kind] ? null : this.edges(kind, mesh.instanceMatrix, parts.length);
      this.scene.add(mesh, ...edges ? [edges] : []);
      this.kinds.push({ parts, mesh, edges });
    }
  }

  // The edges of a kind, drawn with the matrices of its mesh.
  edges(kind, matrices, count) {
    const p = [], ring = (radius, z, swap) => {
      for (let i = 0; i < 28; i++) {
        for (const k of [i, i + 1]) {
          const c = radius * Math.cos(2 * Math.PI * k / 28), s = radius * Math.sin(2 * Math.PI * k / 28);
          p.push(...(swap ? [c, z, s] : [c, s, z]));
        }
      }
    };
    if (kind === "box" || kind === "inertia") {
      for (let i = 0; i < 8; i++) for (let k = 0; k < 3; k++) if (!(i & 1 << k)) for (const j of [i, i | 1 << k]) p.push(j & 1 ? 0.5 : -0.5, j & 2 ? 0.5 : -0.5, j & 4 ? 0.5 : -0.5);
    } else if (kind === "cylinder") {
      ring(1, -0.5); ring(1, 0.5);
    } else {
      ring(1, 0); ring(1, 0, true);
    }
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(p), 3));
    geometry.setAttribute("placed", matrices);
    geometry.instanceCount = count;
    const material = new THREE.ShaderMaterial({
      uniforms: { ink: { value: new THREE.Color() } },
      vertexShader: "attribute mat4 placed; void main() { gl_Position = projectionMatrix * modelViewMatrix * placed * vec4(position, 1.0); }",
      fragmentShader: "uniform vec3 ink; void main() { gl_FragColor = vec4(ink, 1.0); }",
    });
    const lines = new THREE.LineSegments(geometry, material);
    lines.frustumCulled = false;
    return lines;
  }

  lines() {
    const u = this.view.vertical;
    this.trace();
    // a grid at height 0, or below what reaches deeper
    const { low, high } = this.data, box = [0, 1, 2, 3, 4, 5, 6, 7].map(i => [0, 1, 2].map(k => i >> k & 1 ? high[k] : low[k]));
    const lowest = Math.min(...box.map(x => dot(x, u))), height = lowest > this.data.scale ? lowest : Math.min(0, lowest), step = roundDown(Math.max(this.size / 6, this.data.scale / 60)), g = [];
    const range = e => [Math.floor(Math.min(...box.map(x => dot(x, e))) / step) - 1, Math.ceil(Math.max(...box.map(x => dot(x, e))) / step) + 1];
    const [a0, a1] = range(this.view.e1), [b0, b1] = range(this.view.e2);
    const at = (a, b) => this.view.e1.map((x, k) => a * step * x + b * step * this.view.e2[k] + (height - 0.02 * this.size) * u[k]);
    for (let a = a0; a <= a1; a++) g.push(...at(a, b0), ...at(a, b1));
    for (let b = b0; b <= b1; b++) g.push(...at(a0, b), ...at(a1, b));
    this.grid = this.segments(g, false);
  }

  // Paths of a run: segments in the order of time, so that a range of them is the path so far.
  trace() {
    const { drawing } = this;
    for (const path of this.paths || []) { this.scene.remove(path); path.geometry.dispose(); path.material.dispose(); }
    this.paths = drawing.paths.map(paths => {
      const n = paths[0] ? paths[0].length : 0, p = [];
      for (let i = 1; i < n; i++) for (const path of paths) p.push(...path[i - 1], ...path[i]);
      return this.segments(p, true);
    });
    this.perStep = 2 * drawing.tracks.length;
    if (this.theme) this.dress(this.theme);
  }

  segments(points, coloured) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
    if (coloured) geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(points.length), 3));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: coloured }));
    lines.frustumCulled = false;
    this.scene.add(lines);
    return lines;
  }

  // Colours of a theme.
  dress(theme) {
    this.theme = theme;
    const colour = new THREE.Color(), tint = this.runs.length > 1;
    const of = part => tint && part.colour.body !== undefined ? theme.runs[part.run.number % theme.runs.length]
      : part.colour.body !== undefined ? this.drawing.colours(part.colour.body, part.run, part.colour.rgba).fill
        : part.colour.line ? theme.ink : part.colour.ink ? theme.soft : part.colour.driven ? theme.driven : theme.pin;
    for (const { parts, mesh, edges } of this.kinds) {
      parts.forEach((part, i) => mesh.setColorAt(i, colour.set(of(part))));
      mesh.instanceColor.needsUpdate = true;
      // set as it is: the shader writes without conversion
      if (edges) edges.material.uniforms.ink.value.setStyle(theme === DARK ? "#0b0d0f" : theme.ink, "srgb-linear");
    }
    this.drawing.tint = tint;
    const { tracks } = this.drawing;
    this.paths.forEach((path, r) => {
      const colours = path.geometry.getAttribute("color");
      for (let i = 0; i < colours.count; i += 2) {
        colour.set(this.drawing.colours(tracks[i / 2 % tracks.length].body, this.runs[r]).edge);
        for (const j of [i, i + 1]) colours.setXYZ(j, colour.r, colour.g, colour.b);
      }
      colours.needsUpdate = true;
    });
    this.grid.material.color.set(theme.faint);
    this.renderer.setClearColor(theme.paper);
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height);
  }

  // -------------------------------------------------------------------------------------------- frame

  // x = R (L y + l) + o, column by column.
  place(out, o, part) {
    const { local: L, body, run } = part, R = body < 0 ? IDENTITY : run.pose[body].R, x = body < 0 ? ORIGIN : run.pose[body].x;
    for (let i = 0; i < 3; i++) {
      const r0 = R[3 * i], r1 = R[3 * i + 1], r2 = R[3 * i + 2];
      for (let k = 0; k < 3; k++) out[o + 4 * k + i] = r0 * L[k] + r1 * L[3 + k] + r2 * L[6 + k];
      out[o + 12 + i] = r0 * L[9] + r1 * L[10] + r2 * L[11] + x[i];
    }
    out[o + 3] = out[o + 7] = out[o + 11] = 0;
    out[o + 15] = 1;
  }

  // A rod joint, a strand of a belt: between two points that move.
  placeRod(out, o, { ends, radius }) {
    const [p, q] = ends(), d = q.map((x, i) => x - p[i]), length = Math.hypot(...d) || 1e-9;
    const f = frame(d.map(x => x / length));
    for (let i = 0; i < 3; i++) {
      out[o + i] = f[0][i] * radius; out[o + 4 + i] = f[1][i] * radius; out[o + 8 + i] = d[i]; out[o + 12 + i] = (p[i] + q[i]) / 2;
    }
    out[o + 3] = out[o + 7] = out[o + 11] = 0;
    out[o + 15] = 1;
  }

  hide(out, o) { for (let i = 0; i < 15; i++) out[o + i] = 0; out[o + 15] = 1; }

  pose(over) {
    for (const { parts, mesh } of this.kinds) {
      const out = mesh.instanceMatrix.array;
      parts.forEach((part, i) => {
        if (over.hidden.has(part.run.number)) this.hide(out, 16 * i);
        else if (part.ends) this.placeRod(out, 16 * i, part);
        else this.place(out, 16 * i, part);
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  aim(width, height) {
    const v = this.view, c = this.camera, far = 4 * this.data.scale, s = v.scale;
    const middle = [0, 1, 2].map(k => (this.data.low[k] + this.data.high[k]) / 2), depth = dot(middle, v.toward) + far;
    c.left = v.center[0] - (width / 2 + v.shift[0]) / s;
    c.right = v.center[0] + (width / 2 - v.shift[0]) / s;
    c.top = v.center[1] + (height / 2 + v.shift[1]) / s;
    c.bottom = v.center[1] - (height / 2 - v.shift[1]) / s;
    c.near = 0;
    c.far = 2 * far;
    c.updateProjectionMatrix();
    const [r, u, t] = [v.right, v.up, v.toward];
    c.matrix.set(r[0], u[0], t[0], t[0] * depth, r[1], u[1], t[1], t[1] * depth, r[2], u[2], t[2], t[2] * depth, 0, 0, 0, 1);
    c.matrixWorldNeedsUpdate = true;
    this.sun.position.set(...[0, 1, 2].map(k => t[k] - 0.5 * r[k] + 0.9 * u[k]));
  }

  // The path of a run so far.
  pathUntil(r, t, over) {
    const run = this.runs[r], from = run.clock.times[0], geometry = this.paths[r].geometry, steps = geometry.getAttribute("position").count / (this.perStep || 1);
    const share = over.whole || run.end <= from ? 1 : Math.min(Math.max((t - from) / (run.end - from), 0), 1);
    geometry.setDrawRange(0, Math.round(share * steps) * this.perStep);
    this.paths[r].visible = over.paths && !over.hidden.has(r);
  }

  // Over each other: all at once. Side by side: each in its part of the stage, the others hidden.
  frame(t, over) {
    const d = this.drawing, { renderer } = this;
    this.runs.forEach(run => run.seek(t));
    d.arrowScale = over.arrows;
    this.aim(d.cell, d.cellHeight);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, d.width, d.height);
    if (d.beside) renderer.clear();
    for (const r of d.beside ? this.runs.keys() : [-1]) {
      const hidden = new Set([...this.runs.keys()].filter(i => over.hidden.has(i) || r >= 0 && i !== r));
      this.pose({ ...over, hidden });
      this.runs.forEach((_, i) => this.pathUntil(i, t, { ...over, hidden }));
      if (r >= 0) {
        const box = [d.left(r), d.height - d.top(r) - d.cellHeight, d.cell, d.cellHeight]; // from below
        renderer.setViewport(...box);
        renderer.setScissor(...box);
        renderer.setScissorTest(true);
      }
      renderer.render(this.scene, this.camera);
    }
    d.overlay(over);
  }
}

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1], ORIGIN = [0, 0, 0];
const gap = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

// Faces of a mesh for eyes, seen from both sides, each with its own normal.
function triangles({ vertices, corners }) {
  const shared = new THREE.BufferGeometry();
  shared.setAttribute("position", new THREE.BufferAttribute(new Float32Array(vertices), 3));
  shared.setIndex(corners);
  const geometry = shared.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}

// The axes of a unit quaternion wxyz.
function turned([w, x, y, z]) {
  const pose = { R: [] };
  rotation(w, x, y, z, pose);
  return [0, 1, 2].map(k => [pose.R[k], pose.R[3 + k], pose.R[6 + k]]);
}

/** The symbol of a joint (symbols.js) of solids, fixed in body b; a joint on the ground has a foot. */
function solidSymbol(space, run, joint) {
  const r = 0.011 * space.size, at = joint.at_b, { b } = joint, f = frame(joint.axis_b || [0, 0, 1]);
  const pin = { paper: true, driven: joint.driven }, ink = { ink: true };
  const part = (kind, size, colour = pin, axes = f) => space.add(run, b, kind, size.map(x => x * r), at, axes, colour);
  const tube = (l, w, colour, axes) => part("cylinder", [w, w, l], colour, axes), ball = (s, colour) => part("ball", [s, s, s], colour);
  switch (joint.look) {
    case "pin": tube(4.2, 1); break;
    case "sleeve": tube(6, 1); tube(1.2, 1.7); break;
    case "nut": tube(6, 0.9); part("box", [3.6, 3.6, 1.8]); break;
    case "slider": part("box", [2.4, 2.4, 5]); break;
    case "ball": ball(1.5); break;
    case "cross": tube(4.4, 0.6); tube(4.4, 0.6, pin, frame(joint.axis2_b || f[0])); break;
    case "weld": part("box", [1.8, 1.8, 1.8], ink); break;
    case "puck": part("box", [6, 6, 0.3]); tube(1.4, 1.6, ink); break;
    case "track": tube(1.2, 1.7); ball(1, ink); break;
    case "point": part("box", [6, 6, 0.3]); ball(0.9, ink); break;
    case "rod": space.parts.push({ run, ends: () => [run.isOpen(joint) ? run.point(b, at).slice() : run.point(joint.a, joint.at_a).slice(), run.point(b, at).slice()], kind: "cylinder", radius: 0.35 * r, colour: ink }); ball(0.8); break;
    default: ball(1);
  }
  if ((joint.a < 0 || b < 0) && !NO_FOOT.includes(joint.look)) {
    const p = joint.a < 0 ? joint.at_a : at, u = space.view.vertical;
    space.add(run, -1, "box", [3.6 * r, 3.6 * r, 0.6 * r], p.map((x, k) => x - 2.6 * r * u[k]), frame(u), ink);
    space.rod(run, -1, p, p.map((x, k) => x - 2.6 * r * u[k]), 0.5 * r, ink);
  }
}

/** Lines and belts of solids. Faces are frames of wire. */
function solidLines(space, run, thin) {
  const ink = { line: true };
  for (const line of space.data.lines) {
    const face = line.kind === "face", p = face ? faceCorners(space.data, line) : pointsOf(line), n = p.length;
    const radius = { wire: 0.5, limit: 0.6, blade: 0.6 }[line.kind] || 0.3;
    for (let i = 0; i < (face || line.closed ? n : n - 1); i++) space.rod(run, line.body, p[i], p[(i + 1) % n], radius * thin, face ? { ink: true } : ink, "wire");
  }
  for (const link of space.data.links) {
    if (link.kind === "strand") space.parts.push({ run, ends: () => linkEnds(run, link), kind: "wire", radius: 0.6 * thin, colour: ink });
  }
}
