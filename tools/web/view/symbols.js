// Each kind of joint has a symbol of its own, some pixels large; space.js has them of solids.

/** The direction of an axis on the stage, unit; to the right where it points at the reader. */
function alongAxis(camera, axis) {
  const x = dot(axis, camera.right), y = -dot(axis, camera.up), n = Math.hypot(x, y);
  return n > 0.1 ? [x / n, y / n] : [1, 0];
}

function drawSymbol(drawing, run, joint, a, b) {
  const r = drawing.r, { ink, paper, driven } = drawing.theme, fill = joint.driven ? driven : paper, width = r < 2 ? 0.8 : 1.5;
  const axis = joint.axis_b ? run.direction(joint.b, joint.axis_b) : [0, 0, 1], e = alongAxis(drawing.camera, axis);
  const circle = (at, size, colour = fill) => drawing.circle(at, size * r, ink, width, colour);
  const dot_ = size => drawing.circle(b, size * r, null, 0, ink);
  const at = (s, t) => [b[0] + r * (s * e[0] - t * e[1]), b[1] + r * (s * e[1] + t * e[0])];
  const block = (l, w, colour = fill) => drawing.line([at(l, w), at(l, -w), at(-l, -w), at(-l, w)], ink, width, { closed: true, fill: colour });
  const plate = l => {
    const [u, v] = frame(axis), c = drawing.camera;
    drawing.line([[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([s, t]) => {
      const d = u.map((x, k) => l * r * (s * x + t * v[k]));
      return [b[0] + dot(d, c.right), b[1] - dot(d, c.up)];
    }), ink, width, { closed: true, fill: paper });
  };
  const stroke = (...p) => drawing.line(p.map(([s, t]) => at(s, t)), ink, width);
  switch (joint.look) {
    case "slider": block(1.9, 1.1); break;
    case "sleeve": block(2.6, 1.1); circle(b, 0.7); break;
    case "nut": block(2.6, 1.1); [-1.3, 0, 1.3].forEach(s => stroke([s - 0.5, -1.1], [s + 0.5, 1.1])); break;
    case "rod": circle(a, 0.75, paper); circle(b, 0.75); break;
    case "weld": block(1, 1, ink); break;
    case "ball": circle(b, 1.2); dot_(0.55); break;
    case "cross": circle(b, 1.2); stroke([-0.6, -0.6], [0.6, 0.6]); stroke([-0.6, 0.6], [0.6, -0.6]); break;
    case "puck": plate(2.6); circle(b, 1); break;
    case "track": [-1.4, 1.4].forEach(t => stroke([-1.8, t], [1.8, t])); dot_(0.8); break;
    case "point": plate(2.6); dot_(0.6); break;
    default: circle(b, 1);
  }
}
