// What is shown besides bodies and joints: lines fixed in a body (curves, wheels, limits, what stops are from) and links of two bodies.
const LINE_STYLES = { wire: [2.2], wheel: [1.1, [7, 3, 1, 3]], limit: [2.6], pointer: [1.5], keep: [1.1, [3, 3]], blade: [2.6] };

/** The points of a line in the frame of its body. */
function pointsOf(line) {
  return line.list ??= Array.from({ length: line.points.length / 3 }, (_, i) => line.points.slice(3 * i, 3 * i + 3));
}

/** Corners of a face in the frame of its body: two ends in the plane, four in space; on the ground beside the motion. */
function faceCorners(data, face) {
  if (face.corners) return face.corners;
  const n = face.normal, o = pointsOf(face)[0], planar = data.dimension === 2;
  const reach = (face.body >= 0 ? 0.15 : planar ? 0.6 : 0.4) * data.scale, [u, v] = planar ? [[n[1], -n[0], 0], [0, 0, 0]] : frame(n);
  const away = o.map((x, k) => face.body < 0 ? (data.low[k] + data.high[k]) / 2 - x : 0), a = dot(away, u), b = dot(away, v);
  const corner = (s, t) => o.map((x, k) => x + (a + s * reach) * u[k] + (b + t * reach) * v[k]);
  return face.corners = planar ? [corner(-1, 0), corner(1, 0)] : [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/** Where a link begins and ends in the world. A strand touches both rims: n = c d + s side (axis x d), c = (r0 - r1)/|d|. */
function linkEnds(run, link) {
  const p = run.point(link.a, link.at_a).slice(), q = run.point(link.b, link.at_b).slice();
  if (link.kind !== "strand") return [p, q];
  const a = run.direction(link.a, link.axis), [r0, r1] = link.radii, along = dot(q, a) - dot(p, a);
  const d = q.map((x, k) => x - p[k] - along * a[k]), length = Math.hypot(...d) || 1e-300, e = cross(a, d);
  const c = (r0 - r1) / length, s = link.side * Math.sqrt(Math.max(0, 1 - c * c));
  const n = d.map((x, k) => (c * x + s * e[k]) / length);
  return [p.map((x, k) => x + r0 * n[k]), q.map((x, k) => x + r1 * n[k])];
}

/** In the plane a line, hatched on the side that nothing reaches; in space a plate. */
function drawFaces(drawing, run) {
  for (const face of drawing.data.lines) {
    if (face.kind !== "face") continue;
    const corners = faceCorners(drawing.data, face).map(x => drawing.at(run, face.body, x));
    drawing.line(corners, drawing.planar ? drawing.theme.ink : drawing.theme.soft, drawing.planar ? 1.5 : 1.2, { closed: !drawing.planar });
    if (drawing.planar) drawing.hatch(...corners);
  }
}

/** Two bars across the line between the points that a stop keeps apart; upright where both are one. */
function drawStop(drawing, a, b) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]), r = 1.3 * drawing.r, { ink } = drawing.theme;
  const [x, y] = length > 1 ? [(b[0] - a[0]) / length, (b[1] - a[1]) / length] : [1, 0];
  drawing.line([a, b], ink, 1.1, { dash: [3, 3] });
  for (const side of [-0.45, 0.45]) {
    const m = [(a[0] + b[0]) / 2 + side * r * x, (a[1] + b[1]) / 2 + side * r * y];
    drawing.line([[m[0] - r * y, m[1] + r * x], [m[0] + r * y, m[1] - r * x]], ink, 2.6);
  }
}

/** What solid bodies do not have in space: the stops. Else all. */
function drawLines(drawing, run, solid) {
  const { ink } = drawing.theme;
  for (const line of solid ? [] : drawing.data.lines) {
    if (line.kind === "face") continue;
    const [width, dash] = LINE_STYLES[line.kind];
    drawing.line(pointsOf(line).map(x => drawing.at(run, line.body, x)), ink, width, { closed: line.closed, dash });
  }
  for (const link of drawing.data.links) {
    if (solid && link.kind === "strand") continue;
    const [a, b] = linkEnds(run, link).map(x => drawing.camera.project(x));
    if (link.kind === "strand") drawing.line([a, b], ink, 2.2); else drawStop(drawing, a, b);
  }
}

/** Points that the picture has to hold, at five times. */
function lineExtent(drawing, run) {
  const lines = drawing.data.lines.filter(line => line.kind !== "face"), from = run.clock.times[0];
  return [0, 1, 2, 3, 4].flatMap(i => {
    run.seek(from + (run.end - from) * i / 4);
    return lines.flatMap(line => pointsOf(line).filter((_, k, all) => all.length < 12 || k % 6 === 0).map(x => run.point(line.body, x).slice()));
  });
}
