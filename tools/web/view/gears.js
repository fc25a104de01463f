// Pitch circles of gears, strands of belts, and the lines and planes that stops are from.

const CORNERS = 48;

/** Two unit vectors perpendicular to the axis of a gear, in its own frame. */
function gearPlane(drawing, joint, side) {
  const axis = drawing.planar ? [0, 0, 1] : (side ? joint.axis_b : joint.axis_a) || [0, 0, 1];
  const least = Math.abs(axis[0]) <= Math.abs(axis[1]) ? 0 : 1;
  const u = axis.map((a, k) => (k === least ? 1 : 0) - axis[least] * a), n = Math.hypot(...u);
  for (let k = 0; k < 3; k++) u[k] /= n;
  return [u, [axis[1] * u[2] - axis[2] * u[1], axis[2] * u[0] - axis[0] * u[2], axis[0] * u[1] - axis[1] * u[0]]];
}

/** The circles of a gear or belt: body, centre in its frame, radius, and points in the world. */
function pitchCircles(drawing, gear, run) {
  return [0, 1].map(k => {
    const [index, side, r] = gear.circles.slice(3 * k, 3 * k + 3), joint = drawing.data.joints[index];
    const body = side ? joint.b : joint.a, at = side ? joint.at_b : joint.at_a, [u, v] = gearPlane(drawing, joint, side);
    const corner = i => {
      const angle = 2 * Math.PI * i / CORNERS;
      return run.point(body, at.map((x, m) => x + r * (Math.cos(angle) * u[m] + Math.sin(angle) * v[m])));
    };
    return { r, centre: run.point(body, at).slice(), corners: Array.from({ length: CORNERS }, (_, i) => corner(i).slice()) };
  });
}

/** In the plane: the two lines that touch both pulleys. */
function strands(drawing, gear, [a, b]) {
  const turn = gear.crossed ? -1 : 1, dx = b.centre[0] - a.centre[0], dy = b.centre[1] - a.centre[1], d = Math.hypot(dx, dy);
  const cosine = (a.r - turn * b.r) / d, sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  for (const side of [-1, 1]) {
    const n = [(cosine * dx - side * sine * dy) / d, (cosine * dy + side * sine * dx) / d, 0];
    drawing.line([a.centre.map((x, k) => x + a.r * n[k]), b.centre.map((x, k) => x + turn * b.r * n[k])].map(x => drawing.camera.project(x)), drawing.theme.ink, 2.2);
  }
}

function drawGears(drawing, run) {
  for (const gear of drawing.data.gears || []) {
    const circles = pitchCircles(drawing, gear, run);
    for (const circle of circles) {
      const corners = circle.corners.map(x => drawing.camera.project(x));
      drawing.line(corners, drawing.theme.ink, 1.1, { closed: true, dash: [7, 3, 1, 3] });
      drawing.line([drawing.camera.project(circle.centre), corners[0]], drawing.theme.ink, 1.1, { dash: [7, 3, 1, 3] });
    }
    if (drawing.planar && gear.kind === "belt") strands(drawing, gear, circles);
  }
}

/** Ends of the line of a stop as it lies beside the motion, in the world. */
function faceEnds(drawing, face, run) {
  const { low, high } = drawing.camera, reach = 0.6 * Math.hypot(...high.map((x, k) => x - low[k]));
  const o = run.point(face.body, face.at).slice(), n = run.direction(face.body, face.normal).slice(), t = [n[1], -n[0], 0];
  const along = face.body < 0 ? t.reduce((sum, x, k) => sum + x * ((low[k] + high[k]) / 2 - o[k]), 0) : 0;
  return [-1, 1].map(s => o.map((x, k) => x + (along + s * reach * (face.body < 0 ? 1 : 0.3)) * t[k]));
}

/** In the plane a line, hatched on the side that nothing reaches; in space a square. */
function drawFaces(drawing, run) {
  for (const face of drawing.data.faces || []) {
    if (drawing.planar) {
      const [a, b] = faceEnds(drawing, face, run).map(x => drawing.camera.project(x).slice());
      drawing.line([a, b], drawing.theme.ink, 1.5);
      drawing.hatch(a, b);
    } else {
      const { low, high } = drawing.camera, size = 0.35 * Math.hypot(...high.map((x, k) => x - low[k]));
      const o = run.point(face.body, face.at).slice(), n = run.direction(face.body, face.normal).slice();
      const least = n.map(Math.abs).indexOf(Math.min(...n.map(Math.abs))), u = n.map((x, k) => (k === least ? 1 : 0) - n[least] * x), l = Math.hypot(...u);
      const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
      drawing.line([[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([p, q]) => drawing.camera.project(o.map((x, k) => x + size / l * (p * u[k] + q * v[k])))), drawing.theme.soft, 1.2, { closed: true });
    }
  }
}

/** Points that the picture has to hold. */
function gearExtent(drawing, run) {
  return (drawing.data.gears || []).flatMap(gear => pitchCircles(drawing, gear, run).flatMap(circle => circle.corners.filter((_, i) => i % 12 === 0)));
}
