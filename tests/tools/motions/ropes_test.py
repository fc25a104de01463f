#!/usr/bin/env python3
"""Ropes that do not stretch, over pulleys and drums, against closed forms.

usage: ropes_test.py TRAMMEL ROOT [SWINGS]. Prints TAP.
"""
import math
import random
import sys

import tap
from recorded import last_of_good, started
from tap import case

G = 9.81
SWINGS = int(sys.argv[3]) if len(sys.argv) > 3 else 10  # random ones; 10: 2 s


def point(name, position, mass, **more):
    return {"name": name, "position": position, "mass": mass, "shape": {"type": "point"}, **more}


def rope(name, markers, length, **more):
    return {"name": name, "type": "tendon", "markers": markers, "rest_length": length, "inextensible": True, **more}


def ended(bodies, fixed, ropes, end, gravity=G, **more):
    """The end of points that hang on ropes; fixed: markers of the ground"""
    n = len(bodies[0]["position"])
    markers = [{"name": name, "body": "ground", "at": at} for name, at in fixed.items()]
    markers += [{"name": "m" + b["name"], "body": b["name"], "on": [0] * n} for b in bodies]
    scene = {"dimension": n, "gravity": [0, -gravity, 0][:n], "bodies": bodies, "markers": markers, "forces": ropes,
             "simulation": {"end": end, "every": end}, **more}
    return last_of_good(scene, ("energy", "forces", "branch"))


def near(found, right, within, what):
    assert abs(found - right) <= within, f"{what}: {found!r}, right is {right!r}"


@case
def two_weights_over_a_pulley_fall_as_atwoods():
    """a = g (m1 - m2)/(m1 + m2), either way about the pulley"""
    R, t = 0.2, 0.4
    for heavy, light in ((2, 1), (1.01, 1)):
        for side in (1, -1):
            bodies = [point("a", [-R * side, -1], heavy), point("b", [R * side, -1.5], light)]
            last = ended(bodies, {"p": [0, 0]},
                         [rope("rope", ["ma", "p", "mb"], 2.5 + math.pi * R, pulleys=[0, -R * side, 0])], t)
            fall = G * (heavy - light) / (heavy + light) * t ** 2 / 2
            near(last["a.y"], -1 - fall, 1e-9, "heavy")
            near(last["b.y"], -1.5 + fall, 1e-9, "light")


@case
def a_pulley_with_inertia_turns_with_its_ropes():
    """Two ropes wound on one drum: a = g (m1 - m2)/(m1 + m2 + I/R^2)"""
    R, t, I = 0.2, 0.4, 0.03
    drum = {"name": "d", "position": [0, 0], "mass": 1, "inertia": I}
    bodies = [point("a", [-R, -1], 2), point("b", [R, -1.5], 1), drum]
    last = ended(bodies, {"l": [-R, 0], "r": [R, 0]},
                 [rope("down", ["l", "ma"], 1, pays_out="pin", drum_radius=R),
                  rope("up", ["r", "mb"], 1.5, pays_out="pin", drum_radius=-R)], t,
                 joints=[{"name": "pin", "type": "revolute", "bodies": ["ground", "d"], "at": [0, 0]}])
    fall = G / (3 + I / R ** 2) * t ** 2 / 2
    near(last["a.y"], -1 - fall, 1e-9, "heavy")
    near(last["d.angle"], fall / R, 1e-8, "drum")


@case
def a_loose_pulley_halves_the_way_of_its_load():
    """A weight on a pulley in a bight of rope, with another one at the end: 2 x_load + x_end = const"""
    R, r, t, load, end = 0.2, 0.1, 0.4, 3, 1
    bodies = [point("a", [r, -2], load), point("b", [2 * r + 2 * R, -1], end)]
    last = ended(bodies, {"o": [0, 0], "p": [2 * r + R, 0]},
                 [rope("rope", ["o", "ma", "p", "mb"], 2 + math.pi * r + 2 + math.pi * R + 1,
                       pulleys=[0, r, -R, 0])], t)
    a = G * (load - 2 * end) / (load + 4 * end)
    near(last["a.y"], -2 - a * t ** 2 / 2, 1e-9, "load")
    near(last["b.y"], -1 + a * t ** 2, 1e-9, "end")


@case
def a_winch_lifts():
    """A drum that a motor turns by w t^2/2 lifts by R times that, under the tension m (g + R w)"""
    R, w, t, m = 0.1, 3, 0.8, 2
    drum = {"name": "d", "position": [0, 0], "mass": 1, "inertia": 0.01}
    last = ended([point("a", [R, -2], m), drum], {"o": [R, 0]},
                 [rope("rope", ["o", "ma"], 2, pays_out="pin", drum_radius=-R)], t,
                 joints=[{"name": "pin", "type": "revolute", "bodies": ["ground", "d"], "at": [0, 0],
                          "motor": f"{w}*t^2/2"}])
    near(last["a.y"], -2 + R * w * t ** 2 / 2, 1e-9, "load")
    near(last["a.vy"], R * w * t, 1e-9, "its speed")


@case
def a_rope_that_stretches_unwinds_its_drum():
    """s'' = g - k s (1/m + r^2/J) of the stretch s, m x + J theta/r = m g t^2/2 of the way x"""
    R, J, m, k, t = 0.1, 0.02, 2, 4000, 0.3
    w2 = k * (1 / m + R ** 2 / J)
    stretch = G / w2 * (1 - math.cos(math.sqrt(w2) * t))
    way = (m * G * t ** 2 / 2 + J * stretch / R ** 2) / (m + J / R ** 2)  # theta = (x - s)/r
    elastic = {**rope("rope", ["o", "ma"], 1, pays_out="pin", drum_radius=R), "stiffness": k}
    del elastic["inextensible"]
    last = ended([point("a", [0, -1], m), {"name": "d", "position": [-1, 0], "mass": 1, "inertia": J}], {"o": [0, 0]}, [elastic], t,
                 joints=[{"name": "pin", "type": "revolute", "bodies": ["ground", "d"], "at": [-1, 0]}])
    near(last["a.y"], -1 - way, 1e-7, "way")
    near(last["d.angle"], (way - stretch) / R, 1e-6, "angle")


@case
def a_rope_winds_itself_up_on_a_post():
    """Without gravity the speed stays, and the free length is sqrt(l^2 - 2 R v t)"""
    R, l, v, t = 0.1, 1, 2, 1.2
    for side in (1, -1):  # turns to the left, to the right
        last = ended([point("b", [R, side * l], 1, velocity=[-v, 0])], {"o": [-1, -side * R], "p": [0, 0]},
                     [rope("rope", ["o", "p", "mb"], 1 + math.pi / 2 * R + l, pulleys=[0, side * R, 0])], t, gravity=0)
        free = math.sqrt(l ** 2 - 2 * R * v * t)
        near(math.hypot(last["b.x"], last["b.y"]), math.hypot(free, R), 1e-8, "distance")
        near(math.hypot(last["b.vx"], last["b.vy"]), v, 1e-8, "speed")


@case
def a_rope_leaves_its_post_and_comes_back_to_it():
    """Without gravity a quarter of a turn is off at (free^2 - l^2)/(2 R v), then a circle; the same backwards; plane and space"""
    R, l, v, on = 0.1, 1, 2, 0.5
    free = l + math.pi / 2 * R
    left, circle = (free ** 2 - l ** 2) / (2 * R * v), 1 + free
    turn = v * on / circle
    far = [circle * math.cos(turn) - 1, R + circle * math.sin(turn)]
    for n in (2, 3):
        more = [0.0] * (n - 2)
        fixed = {"o": [-1, R] + more, "p": [0, 0] + more, **({"q": [0, 0, 1]} if n == 3 else {})}
        post = [rope("rope", ["o", "p", "mb"], 1 + free, pulleys=[0, -R, 0], **({"axis": ["p", "q"]} if n == 3 else {}))]
        back = [v * math.sin(turn), -v * math.cos(turn)]
        for at, velocity, end in (([R, -l], [v, 0], far), (far, back, [R, -l])):
            last = ended([point("b", at + more, 1, velocity=velocity + more)], fixed, post, left + on, gravity=0)
            near(math.hypot(last["b.x"] - end[0], last["b.y"] - end[1]), 0, 1e-8, "place")


def stepped(rates, z, end, n=4000):
    """Runge and Kutta, order 4"""
    h = end / n
    for _ in range(n):
        k = [rates(z)]
        for part in (0.5, 0.5, 1):
            k.append(rates([x + part * h * d for x, d in zip(z, k[-1])]))
        z = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, *k)]
    return z


@case
def a_rope_about_a_cylinder_in_space_is_the_shortest():
    """Unrolled it is straight: l cos(b) = c + R phi + free, l sin(b) = h, 2 T/m = (l b')^2 + (free phi')^2"""
    R, l, lead, t = 0.1, 1.6, 0.6, 0.9
    h, vh, vx = 0.3, 0.4, -2.0

    def rates(z):
        b, phi, db, dphi = z
        free = l * math.cos(b) - lead - R * phi
        dfree = -l * math.sin(b) * db - R * dphi
        return [db, dphi, -free * math.sin(b) * dphi ** 2 / l, (-R * dphi ** 2 - 2 * dfree * dphi) / free]

    b0 = math.asin(h / l)
    free = l * math.cos(b0) - lead - R * math.pi / 2
    # at a quarter of a turn the free part points down: its end moves along -x by free phi', and along y by L'
    db = vh / (l * math.cos(b0))
    b, phi, *_ = stepped(rates, [b0, math.pi / 2, db, -vx / free], t)
    free_end = l * math.cos(b) - lead - R * phi
    flat = (R * math.sin(phi) + free_end * math.cos(phi), R * math.cos(phi) - free_end * math.sin(phi))
    for axis, of in (((0, 0, -1), lambda x, y, z: [x, y, -z]), ((0.6, 0, 0.8), lambda x, y, z: [0.8 * x + 0.6 * z, y, -0.6 * x + 0.8 * z])):
        side = -1 if axis[2] > 0 else 1
        place, speed = of(R, -free, h), of(vx, l * math.sin(b0) * db, vh)
        last = ended([point("b", place, 1, velocity=speed)], {"o": of(-lead, R, 0), "p": of(0, 0, 0), "q": [3 * x for x in axis]},
                     [rope("rope", ["o", "p", "mb"], l, pulleys=[0, side * R, 0], axis=["p", "q"])], t, gravity=0)
        for name, right in zip("xyz", of(*flat, l * math.sin(b))):
            near(last["b." + name], right, 2e-8, name)


@case
def a_loose_pulley_in_space_halves_the_way_too():
    """As in the plane, turned: two cylinders"""
    R, r, t, load, end = 0.2, 0.1, 0.4, 3, 1
    of = lambda x, y, z=0: [0.8 * x + 0.6 * z, y, -0.6 * x + 0.8 * z]
    bodies = [point("a", of(r, -2), load), point("b", of(2 * r + 2 * R, -1), end)]
    last = ended(bodies, {"o": of(0, 0), "p": of(2 * r + R, 0), "q": of(2 * r + R, 0, 0.7)},
                 [rope("rope", ["o", "ma", "p", "mb"], 2 + math.pi * r + 2 + math.pi * R + 1, pulleys=[0, r, -R, 0], axis=["p", "q"])], t)
    a = G * (load - 2 * end) / (load + 4 * end)
    near(last["a.y"], -2 - a * t ** 2 / 2, 1e-9, "load")
    near(last["b.y"], -1 + a * t ** 2, 1e-9, "end")


@case
def a_rope_on_a_drum_slips_at_exp_mu_phi():
    """a = g (m - k n)/(m + k n), k = exp(mu pi), where m > k n, else it sticks; either way about the drum"""
    R, t, mu = 0.2, 0.4, 0.3
    k = math.exp(mu * math.pi)
    for heavy, light in ((3, 1), (k * (1 + 1e-6), 1), (k * (1 - 1e-6), 1), (1, 1)):
        for side in (1, -1):
            bodies = [point("a", [-R * side, -1], heavy), point("b", [R * side, -1.5], light)]
            last = ended(bodies, {"p": [0, 0]},
                         [rope("rope", ["ma", "p", "mb"], 2.5 + math.pi * R, pulleys=[0, -R * side, 0], friction=mu)], t)
            fall = max(0, G * (heavy - k * light) / (heavy + k * light)) * t ** 2 / 2
            near(last["a.y"], -1 - fall, 1e-10, "heavy")


@case
def a_rope_rubs_about_all_pulleys_of_a_body_and_sticks_more_than_it_slips():
    """Over three posts its turns add: k = exp(3 mu pi). Pulled by g + 20 t it lets go at exp(phi sticking), then slips at exp(phi friction), by Stribeck too"""
    R, mu, more, v = 0.2, 0.2, 0.35, 0.5
    posts, L = {"p": [0, 0], "q": [2 * R, -1], "s": [4 * R, 0]}, 5.5 + 3 * math.pi * R
    k = math.exp(3 * mu * math.pi)
    for factor in (1 + 1e-6, 1 - 1e-6, 2):
        bodies = [point("a", [-R, -2], k * factor), point("b", [5 * R, -1.5], 1)]
        last = ended(bodies, posts, [rope("rope", ["ma", *posts, "mb"], L, pulleys=[0, -R, R, -R, 0], friction=mu)], 0.3)
        near(last["a.y"], -2 - max(0, G * (factor - 1) / (factor + 1)) * 0.045, 1e-9, "heavy")
    first = (math.exp(more * math.pi) * G - G) / 20  # s
    pull = {"name": "pull", "type": "force", "marker": "ma", "value": [0, "-20*t"]}
    for law in ({}, {"stribeck": v}):
        def rates(z, law=law):
            k = math.exp(math.pi * (mu + (more - mu) * math.exp(-(z[1] / v) ** 2) if law else mu))
            return [z[1], (G + 20 * (first + z[2]) - k * G) / (1 + k), 1]
        fall = stepped(rates, [0, 0, 0], 2.5 - first)[0]
        one = rope("rope", ["ma", "p", "q", "mb"], 11.5 + math.pi * R, pulleys=[0, -R, -R, 0], friction=mu, sticking=more, **law)
        last = ended([point("a", [-R, -1], 1), point("b", [1 + R, -9.5], 1)], {"p": [0, 0], "q": [1, 0]}, [one, pull], 2.5)
        near(last["a.y"], -1 - fall, 1e-8, "pulled")


@case
def a_drum_turns_with_its_rope_or_slips_under_it():
    """It sticks: a = g (m - n)/(m + n + I/R^2); it slips: T_0 = k T_1, I w' = (T_0 - T_1) R; a capstan that a motor turns lifts"""
    R, t, I = 0.2, 0.4, 0.03
    for mu, m, n in ((0.8, 2, 1), (0.05, 8, 1)):
        k = math.exp(mu * math.pi)
        a = G * (m - n) / (m + n + I / R ** 2)
        turned = a / R
        if (G - a) * m > k * (G + a) * n:
            a = G * (m - k * n) / (m + k * n)
            turned = (k - 1) * n * (G + a) * R / I
        assert (mu == 0.05) == (turned != a / R), "one of each"
        drum = {"name": "d", "position": [0, 0], "mass": 1, "inertia": I}
        pin = {"name": "pin", "type": "revolute", "bodies": ["ground", "d"], "at": [0, 0]}
        both = [point("a", [-R, -1], m), point("b", [R, -1.5], n), drum]
        last = ended(both, {}, [rope("rope", ["ma", "md", "mb"], 2.5 + math.pi * R, pulleys=[0, -R, 0], friction=mu)], t, joints=[pin])
        near(last["a.y"], -1 - a * t ** 2 / 2, 1e-9, "heavy")
        near(last["d.angle"], turned * t ** 2 / 2, 1e-8, "drum")
        k = math.exp(mu * math.pi / 2)  # beside a smooth pulley before it
        slips = (m - n) * G / (m + n + I / R ** 2) < (m - k * n) * G / (m + k * n)
        a = G * ((m - k * n) / (m + k * n) if slips else (m - n) / (m + n + I / R ** 2))
        aside = [both[0], point("b", [R, -1.5], n), drum]
        last = ended([point("a", [-1 - R, -1], m)] + aside[1:], {"p": [-1, 0]}, [rope("rope", ["ma", "p", "md", "mb"], 3.5 + math.pi * R,
                     pulleys=[0, -R, -R, 0], friction=mu, rubs_on="d")], t, joints=[pin])
        near(last["a.y"], -1 - a * t ** 2 / 2, 1e-9, "beside a smooth pulley")
    k = math.exp(0.5 * math.pi)
    last = ended(both[:2] + [drum], {}, [rope("rope", ["ma", "md", "mb"], 2.5 + math.pi * R, pulleys=[0, -R, 0], friction=0.5)], t,
                 joints=[{**pin, "motor": "-20*t^2"}])
    near(last["a.y"], -1 + G * (k * n - m) / (m + k * n) * t ** 2 / 2, 1e-9, "lifted by the hand times k")


@case
def a_load_swings_on_a_rope_that_rubs():
    """The angle changes, and with it exp(mu phi): T (1/n + k/m) = (v . e')^2/s + g (1 + e_y) along the free part e"""
    R, mu, m, n, t = 0.2, 0.2, 4, 1, 0.35
    e = (math.sin(0.6), -math.cos(0.6))
    start = [R * math.cos(0.6) + e[0], R * math.sin(0.6) + e[1]]

    def rates(z):
        x, y, vx, vy = z[:4]
        s = math.sqrt(x * x + y * y - R * R)
        far = math.atan2(y, x) + math.atan2(s, R)  # of the last point that touches
        e = (math.sin(far), -math.cos(far))
        across = vx * -e[1] + vy * e[0]
        T = (across ** 2 / s + G * (1 - e[1])) / (1 / n + math.exp(mu * (math.pi - far)) / m)
        return [vx, vy, -T * e[0] / n, -T * e[1] / n - G, z[5], math.exp(mu * (math.pi - far)) * T / m - G]

    x, y, *_, fall, _ = stepped(rates, start + [0, 0, -1, 0], t)
    last = ended([point("a", [-R, -1], m), point("b", start, n)], {"p": [0, 0]},
                 [rope("rope", ["ma", "p", "mb"], 1 + R * (math.pi - 0.6) + 1, pulleys=[0, -R, 0], friction=mu)], t)
    for name, right in (("b.x", x), ("b.y", y), ("a.y", fall)):
        near(last[name], right, 1e-8, name)


@case
def a_slack_rope_tightens_with_an_impact():
    """A weight falls beside its anchor until the rope is taut: what goes along the rope is lost, or sent back"""
    L, x = 1.0, 0.6
    h = math.sqrt(L ** 2 - x ** 2)
    t0, v = math.sqrt(2 * h / G), math.sqrt(2 * G * h)
    along, across = v * h / L, v * x / L
    for e in (0, 0.5):
        t = t0 + 1e-4
        last = ended([point("b", [x, 0], 1)], {"o": [0, 0]}, [rope("rope", ["o", "mb"], L, restitution=e)], t)
        # to the first order in 1e-4 s the velocities are those behind the impact
        r = (last["b.x"], last["b.y"])
        length = math.hypot(*r)
        radial = (last["b.vx"] * r[0] + last["b.vy"] * r[1]) / length
        round_ = (last["b.vx"] * -r[1] + last["b.vy"] * r[0]) / length
        near(radial, -e * along, 3e-3, f"along, e = {e}")
        near(abs(round_), across, 3e-3, f"across, e = {e}")
    t = t0 + 0.25  # a pendulum then, on the circle, with the energy that is left
    last = ended([point("b", [x, 0], 1)], {"o": [0, 0]}, [rope("rope", ["o", "mb"], L)], t)
    near(math.hypot(last["b.x"], last["b.y"]), L, 1e-9, "length")
    energy = (last["b.vx"] ** 2 + last["b.vy"] ** 2) / 2 + G * last["b.y"]
    near(energy, across ** 2 / 2 - G * h, 1e-8, "energy")


@case
def a_rope_that_stretches_adds_nothing_beside_one_that_does_not():
    """Of the same length between the same points: its edge is held, on a curved path, and after the last bounce"""
    for seed in range(SWINGS):
        r, n = random.Random(seed), 2 + seed % 2
        p = [r.uniform(-0.5, 0.5), -0.5, r.uniform(-0.5, 0.5)][:n]
        q = [p[0] + r.uniform(-0.5, 0.5), p[1] - 0.4, 0.3][:n]
        velocity = [r.uniform(-1, 1) for _ in range(n)]
        bodies = [{"name": name, "position": at, "velocity": velocity, "mass": r.uniform(0.3, 3),
                   "inertia": 0.04 if n == 2 else [0.04, 0.05, 0.06]} for name, at in (("p", p), ("q", q))]
        joint = {"name": "J", "type": "revolute" if n == 2 else "spherical", "bodies": ["p", "q"], "at": p}
        end, at = r.choice((("mp", p), ("mq", q)))
        length, markers = max(r.uniform(0.5, 2.5), 1.0001 * math.hypot(*at)), ["g", end]
        stiff = {"name": "stretches", "type": "tendon", "markers": markers, "rest_length": length,
                 "stiffness": 10 ** r.uniform(2, 6), "damping": 10 ** r.uniform(0, 3)}
        one = rope("rope", markers, length, restitution=0.3 * (seed % 3 == 0))
        alone, beside = (ended(bodies, {"g": [0] * n}, ropes, 2, joints=[joint]) for ropes in ([one], [one, stiff]))
        for key in ("p.x", "p.y", "q.x", "q.y"):
            near(beside[key], alone[key], 1e-5, f"{seed} {key}")


@case
def what_is_wound_up_to_a_point_ends_the_run():
    """It would turn about it without end; one that stretches has no length below 0; a stone thrown through it hangs on no rope"""
    winch = {"pays_out": "pin", "drum_radius": -0.1}
    pin = {"name": "pin", "type": "revolute", "bodies": ["ground", "d"], "at": [5, 0], "motor": "10*t^2"}
    bodies = [point("h", [0.3, -0.95], 2), {"name": "d", "position": [5, 0], "mass": 1, "inertia": 1}]
    for made, words in ((rope("r", ["g", "mh"], 1, **winch), "between two of its points"),
                        *((rope("r", ["e", "g", "mh"], 6.4, pulleys=[0, -0.1, 0], **winch, **mu), "has an end at a pulley, leaves") for mu in ({}, {"friction": 0.2})),
                        ({"name": "r", "type": "tendon", "markers": ["g", "mh"], "rest_length": 1, "stiffness": 1e4, "damping": 20, **winch}, "rest_length is")):
        output = started({"dimension": 2, "gravity": [0, -G], "bodies": bodies, "joints": [pin], "forces": [made],
                          "markers": [{"name": "g", "body": "ground", "at": [0, 0]}, {"name": "e", "body": "ground", "at": [-0.1, -5]},
                                      {"name": "mh", "body": "h", "on": [0, 0]}], "simulation": {"end": 3}})
        assert output.returncode == 4 and words in output.stderr and "t = " in output.stderr, output.stderr
    near(ended([{**point("a", [0, -1], 1), "velocity": [0, 6]}], {"o": [0, 0]}, [rope("r", ["o", "ma"], 1.5)], 0.3)["a.y"], -1 + 1.8 - G * 0.045, 1e-9, "stone")


@case
def what_a_rope_cannot_be_is_said():
    """A stretch that is not said, a pulley too few or at an end, cylinders without an axis, drums of two bodies; where it leaves one of two"""
    def scene(dimension, **keys):
        at = [0] * dimension
        return {"dimension": dimension, "gravity": [0, -G, 0][:dimension], "bodies": [point("a", [1] + at[1:], 1), point("b", [-1] + at[1:], 2)],
                "markers": [{"name": "o", "body": "ground", "at": at}, {"name": "m", "body": "a", "on": at}, {"name": "n", "body": "b", "on": at},
                            {"name": "u", "body": "ground", "at": [0.8, 1] + at[2:]}, {"name": "v", "body": "ground", "at": [-0.8, 1] + at[2:]}],
                "forces": [{"name": "r", "type": "tendon", "markers": ["o", "m"], "rest_length": 2, **keys}],
                "simulation": {"end": 1}}
    hard = {"inextensible": True}
    two = {**hard, "markers": ["o", "m", "u", "n"], "pulleys": [0, 0.1, 0.1, 0]}
    three = {**hard, "markers": ["n", "v", "u", "m"], "pulleys": [0, -0.2, -0.2, 0], "rest_length": 3.6 + 0.2 * math.pi}
    for made, words in ((scene(2), "inextensible"), (scene(2, **hard, pulleys=[0]), "for each of the 2 markers"),
                        (scene(2, **hard, pulleys=[0.1, 0]), "0 at both ends"),
                        (scene(3, **hard, pulleys=[0, 0]), "\"axis\""), (scene(3, **hard, pulleys=[0, 0], axis=["o", "m"]), "of one body"),
                        (scene(2, **hard, pulleys=[0, 0], friction=0.1), "pulleys of one body"),
                        (scene(2, **two, friction=0.1), "pulleys of one body"), (scene(2, **two, friction=0.1, rubs_on="b"), "pulleys of one body"),
                        (scene(2, **three, friction=0.3, sticking=0.1), "less than friction that slides"), (scene(2, **three), "leaves one of several"),
                        (scene(2, **hard, restitution=2), "0 to 1"), (scene(2, **hard, stiffness=3), "stiffness")):
        output = started(made)
        assert output.returncode in (2, 3, 4) and words in output.stderr, (words, output.returncode, output.stderr)


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
