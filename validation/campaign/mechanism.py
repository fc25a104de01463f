"""A mechanism as it is drawn, and the scene that comes of it: scaled, turned, mirrored, rounded to 12 digits.

Families draw in metres, kilograms and seconds at a size of about one. The scene has lengths times `lam`, masses
times `mu`, times times `tau` = sqrt(lam), so that gravity stays 9.81; these are parameters of the scene, which
formulas use. In the plane `mir` is -1 in a mirrored scene: angles count the other way there.
"""
import json
import math
import subprocess

import geometry as geo

PLANE, SPACE = 2, 3


def digits(x):
    return float(f"{x:.12g}")


def rounded(v):
    if isinstance(v, (tuple, list)):
        return [rounded(x) for x in v]
    if isinstance(v, dict):
        return {key: rounded(x) for key, x in v.items()}
    return digits(v) if isinstance(v, float) else v


def without(scene, equivalent):
    """The same motion by other constraints."""
    scene = json.loads(json.dumps(scene))
    for kind in ("joints", "constraints"):
        scene[kind] = [j for j in scene[kind] if j["name"] not in equivalent["drop"]]
    scene["constraints"] += [{"name": f"tie{i}", "expression": e} for i, e in enumerate(equivalent["constraints"])]
    return scene


class Mechanism:
    def __init__(self, rng, dimension, upright=False, plain=False, down=(0, -1, 0)):
        """upright: not turned (formulas in world axes); plain: neither turned nor mirrored nor scaled, not rounded."""
        self.rng, self.dimension, self.plain = rng, dimension, plain
        scaled = not plain and rng.random() < 0.7
        self.lam = digits(10 ** rng.uniform(-3, 3)) if scaled else 1.0
        self.mu = digits(10 ** rng.uniform(-3, 3)) if scaled else 1.0
        self.tau = digits(math.sqrt(self.lam))
        self.mirrored = not (upright or plain) and rng.random() < 0.5
        turn = geo.IDENTITY
        if not (upright or plain):
            turn = geo.any_rotation(rng) if dimension == 3 else geo.rotation((0, 0, 1), rng.uniform(-3, 3))
        flip = ((-1, 0, 0), (0, 1, 0), (0, 0, 1)) if self.mirrored else geo.IDENTITY
        self.turn = geo.product(turn, flip)
        self.offset = (0, 0, 0) if upright or plain else tuple(
            rng.uniform(-1, 1) if k < dimension else 0.0 for k in range(3))
        self.down = down
        self.bodies, self.markers, self.joints, self.constraints, self.forces = [], [], [], [], []
        self.guesses, self.leader, self.driven = {}, None, False
        self.end, self.breaks, self.regular, self.equivalent = 1.0, [], True, None
        self.tolerance, self.longest = 1e-11, 1 / 16  # of one step of the reference: error, part of the run

    # from the drawing to the world

    def point(self, p):
        return self.cut(geo.mul(geo.add(geo.apply(self.turn, p), self.offset), self.lam))

    def direction(self, d):
        return self.cut(geo.apply(self.turn, d))

    def axis(self, d):
        """Of a turn: mirrored it points the other way, so that angles about it keep their sign in space."""
        return self.cut(geo.mul(geo.apply(self.turn, d), -1 if self.mirrored else 1))

    def cut(self, v):
        return list(v[:self.dimension])

    def sign(self, formula):
        return f"mir*({formula})" if self.dimension == 2 else formula

    # bodies

    def place(self, name, at, mass, inertia, frame, principal):
        """inertia[3][3] about `at` in axes of the drawing; frame: columns are the body's axes, in the drawing."""
        body = {"name": name, "mass": mass * self.mu, "position": self.point(at)}
        scale = self.mu * self.lam ** 2
        if self.dimension == 2:
            body["angle"] = 0.0 if self.plain else self.rng.uniform(-3, 3)
            body["inertia"] = inertia[2][2] * scale
        else:
            world = geo.product(geo.product(self.turn, inertia), geo.transpose(self.turn))
            if principal:
                axes = geo.product(self.turn, frame)
                if self.mirrored:
                    axes = geo.product(axes, ((1, 0, 0), (0, 1, 0), (0, 0, -1)))
            else:
                axes = geo.any_rotation(self.rng)
            own = geo.product(geo.product(geo.transpose(axes), world), axes)
            body["inertia"] = [own[k][k] * scale for k in range(3)] if principal else [
                [(own[i][j] + own[j][i]) / 2 * scale for j in range(3)] for i in range(3)]
            body.update(self.orientation(axes))
        self.bodies.append(body)
        return name

    def orientation(self, R):
        form = self.rng.randrange(4)
        q = geo.quaternion(R)
        if form == 0:
            return {"quat_wxyz": list(q)}
        if form == 1 and abs(R[2][0]) < 0.99:
            return {"rpy": [math.atan2(R[2][1], R[2][2]), -math.asin(R[2][0]), math.atan2(R[1][0], R[0][0])]}
        if form == 2 and abs(q[0]) < 0.999:
            return {"axis_angle": {"axis": list(geo.unit(q[1:])), "angle": 2 * math.acos(max(-1, min(1, q[0])))}}
        return {"matrix": [list(row) for row in R]}

    def bar(self, name, p, q, mass=1.0):
        """A uniform rod from p to q; its radius is a thirtieth of its length."""
        length, x = geo.norm(geo.sub(q, p)), geo.unit(geo.sub(q, p))
        radius = length / 30
        if self.rng.random() < 0.4 and geo.apply(self.turn, x)[0] > -0.9:
            body = {"name": name, "mass": mass * self.mu, "ends": [self.point(p), self.point(q)]}
            if self.dimension == 3:
                body["shape"] = {"type": "rod", "radius": radius * self.lam}
            self.bodies.append(body)
            return name
        y = geo.any_normal(x)
        frame = geo.transpose((x, y, geo.cross(x, y)))
        across = mass * (3 * radius ** 2 + length ** 2) / 12 if self.dimension == 3 else mass * length ** 2 / 12
        return self.moments(name, geo.middle(p, q), mass, (mass * radius ** 2 / 2, across, across), frame)

    def moments(self, name, at, mass, principal, frame=geo.IDENTITY):
        diagonal = tuple(tuple(principal[i] if i == j else 0 for j in range(3)) for i in range(3))
        inertia = geo.product(geo.product(frame, diagonal), geo.transpose(frame))
        return self.place(name, at, mass, inertia, frame, self.rng.random() < 0.7)

    def box(self, name, at, size, mass=1.0, frame=geo.IDENTITY):
        a, b, c = (s * s for s in size)
        return self.moments(name, at, mass, (mass * (b + c) / 12, mass * (a + c) / 12, mass * (a + b) / 12), frame)

    def plate(self, name, *points, mass=1.0):
        """Mass in equal balls at the points; their radius is a tenth of the largest distance from their middle."""
        c = geo.middle(*points)
        arms = [geo.sub(p, c) for p in points]
        own = 0.4 * (0.1 * max(map(geo.norm, arms))) ** 2
        inertia = tuple(tuple(mass * ((i == j) * own + sum((i == j) * geo.dot(r, r) - r[i] * r[j] for r in arms)
                                      / len(arms)) for j in range(3)) for i in range(3))
        return self.place(name, c, mass, inertia, geo.IDENTITY, False)

    def ball(self, name, at, mass=1.0):
        """A point mass."""
        self.bodies.append({"name": name, "mass": mass * self.mu, "position": self.point(at), "shape": {"type": "point"}})
        return name

    # joints

    def joint(self, kind, a, b, at, name=None, **more):
        name = name or f"{kind}_{len(self.joints)}"
        at = [self.point(p) for p in at] if isinstance(at[0], (tuple, list)) else self.point(at)
        self.joints.append({"name": name, "type": kind, "bodies": [a, b], "at": at, **more})
        return name

    def hinge(self, a, b, at, axis=(0, 0, 1), motor=None, name=None):
        more = {"axis": self.axis(axis)} if self.dimension == 3 else {}
        if motor:
            more["motor"], self.driven = self.sign(motor), True
        return self.joint("revolute", a, b, at, name, **more)

    def slide(self, a, b, at, axis, motor=None, name=None):
        more = {"axis": self.direction(axis)}
        if motor:
            more["motor"], self.driven = f"lam*({motor})", True
        return self.joint("prismatic", a, b, at, name, **more)

    def slot(self, a, b, at, axis):
        """A pin of b in a slot of a."""
        return self.joint("pin_in_slot" if self.dimension == 2 else "point_on_line", a, b, at, axis=self.direction(axis))

    def along(self, kind, a, b, at, axis):
        return self.joint(kind, a, b, at, axis=self.direction(axis))

    def socket(self, a, b, at):
        return self.joint("spherical", a, b, at)

    def cardan(self, a, b, at, axis, axis2):
        return self.joint("universal", a, b, at, axis=self.axis(axis), axis2=self.axis(axis2))

    def rod(self, a, b, p, q):
        return self.joint("rod", a, b, [p, q])

    # forces

    def marker(self, body, at, name=None):
        name = name or f"p{len(self.markers)}"
        self.markers.append({"name": name, "body": body, "at": self.point(at)})
        return name

    def spring(self, a, b, p, q, stiffness, damping=0.0, rest=None):
        length = geo.norm(geo.sub(q, p)) if rest is None else rest
        self.forces.append({"name": f"spring_{len(self.forces)}", "type": "spring_damper",
                            "markers": [self.marker(a, p), self.marker(b, q)], "stiffness": stiffness * self.mu / self.lam,
                            "damping": damping * self.mu / self.tau, "rest_length": length * self.lam})

    def torsion(self, joint, stiffness, damping=0.0, rest=0.0, sliding=False):
        unit = self.mu / self.lam if sliding else self.mu * self.lam
        sign = -1 if self.dimension == 2 and self.mirrored and not sliding else 1
        self.forces.append({"name": f"spring_{len(self.forces)}", "type": "joint_spring_damper", "joint": joint,
                            "stiffness": stiffness * unit, "damping": damping * unit * self.tau,
                            "rest": rest * (self.lam if sliding else sign)})

    def servo(self, joint, target, kp, kd, sliding=False):
        unit = self.mu / self.lam if sliding else self.mu * self.lam
        self.forces.append({"name": f"servo_{len(self.forces)}", "type": "servo", "joint": joint,
                            "target": f"lam*({target})" if sliding else self.sign(target), "kp": kp * unit,
                            "kd": kd * unit * self.tau})

    def effort(self, joint, formula, sliding=False):
        value = f"mu*({formula})" if sliding else f"mu*lam*{self.sign('(' + formula + ')')}"
        self.forces.append({"name": f"effort_{len(self.forces)}", "type": "joint_force", "joint": joint, "value": value})

    def force(self, body, at, formulas):
        parts = [" + ".join(f"({digits(row[k])!r})*({formulas[k]})" for k in range(3)) for row in self.turn]
        self.forces.append({"name": f"force_{len(self.forces)}", "type": "force", "marker": self.marker(body, at),
                            "value": [f"mu*({part})" for part in parts[:self.dimension]]})

    # the start

    def spin(self, body, rate, axis=(0, 0, 1), leads=True):
        """Turn a body; all velocities are made to fit, then scaled so that the rate of the leader is as wanted."""
        self.guesses[body] = ((0, 0, 0), geo.mul(axis, rate))
        self.leader = (body, 1) if leads else self.leader

    def push(self, body, velocity, leads=True):
        self.guesses[body] = (velocity, (0, 0, 0))
        self.leader = (body, 0) if leads else self.leader

    def scene(self, title):
        scene = {"title": title, "dimension": self.dimension,
                 "parameters": {"lam": self.lam, "mu": self.mu, "tau": self.tau, "mir": -1 if self.mirrored else 1},
                 "gravity": self.direction(geo.mul(self.down, 9.81)), "bodies": self.bodies, "markers": self.markers,
                 "joints": self.joints, "constraints": self.constraints, "forces": self.forces,
                 "simulation": {"end": self.end * self.tau}}
        return scene if self.plain else rounded(scene)

    def finished(self, title, program, draft):
        """The scene with velocities that fit, by the reference's projection. `draft`: a file to write."""
        scene = self.scene(title)
        if not self.guesses and not self.driven:
            return scene
        for body in scene["bodies"]:
            v, w = self.guesses.get(body["name"], ((0, 0, 0), (0, 0, 0)))
            self.set_velocity(body, geo.mul(geo.apply(self.turn, v), self.lam / self.tau),
                              geo.mul(geo.apply(self.turn, w), (-1 if self.mirrored else 1) / self.tau))
        known = scene
        if any(c.get("type", "expression") != "expression" for c in self.constraints):  # which the reference does not know
            known = without(scene, self.equivalent)
        draft.write_text(json.dumps(known), encoding="utf-8")
        output = subprocess.run([program, "prepare", draft], check=False, capture_output=True, text=True).stdout
        fitted = json.loads(output)
        if "error" in fitted:
            raise ValueError(fitted["error"])
        factor = self.factor(fitted["bodies"])
        for body in scene["bodies"]:
            v = fitted["bodies"][body["name"]]
            body.pop("rate_world", None)
            body["velocity"] = self.cut(geo.mul(v[:3], factor))
            if body.get("shape", {}).get("type") != "point":
                body["rate"] = v[5] * factor if self.dimension == 2 else list(geo.mul(v[3:], factor))
        return scene if self.plain else rounded(scene)

    def set_velocity(self, body, v, w):
        body["velocity"] = self.cut(v)
        if body.get("shape", {}).get("type") == "point":
            return
        if self.dimension == 2:
            body["rate"] = w[2]
        else:
            body["rate_world"] = list(w)

    def factor(self, fitted):
        if self.driven or not self.leader:
            return 1.0
        name, kind = self.leader
        part = slice(3 * kind, 3 * kind + 3)
        wanted = geo.norm(self.guesses[name][kind]) * (self.lam if kind == 0 else 1) / self.tau
        got = geo.norm(fitted[name][part])
        if got < 0.1 * wanted:  # this body hardly moves here: the fastest leads instead
            got = max(geo.norm(v[part]) for v in fitted.values())
        if got < 1e-6 * wanted:
            raise ValueError(f"{name} cannot be moved so")
        return wanted / got
