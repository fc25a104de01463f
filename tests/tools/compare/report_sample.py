"""Made-up comparisons for report_test.py, of the shape that trammel compare --json prints."""
import math
import random

PICTURE = ('<svg xmlns="http://www.w3.org/2000/svg" width="960" height="600" viewBox="0 0 960 600">'
           '<style>.bar{stroke:#0072b2;stroke-width:9;stroke-linecap:round}</style>'
           '<rect width="960" height="600" rx="8" fill="#fdfdfa"/><line class="bar" x1="200" y1="400" x2="420" y2="180"/>'
           '<line class="bar" x1="420" y1="180" x2="760" y2="400"/></svg>')

PASSED = (0.71, 2.3, 3.9, 5.6, 7.2, 8.8)  # s, singular positions

PAIRS = [("dop853", "s-both2", 8), ("dop853", "projection", 8), ("dopri5", "s-both2", 5), ("dopri5", "baumgarte", 5),
         ("rk4", "s-both2", 4), ("rk4", "s-both", 4), ("rk4", "s-vel", 4), ("rk4", "s-full", 4),
         ("rk4", "state-space", 4), ("heun", "srm", 2), ("heun", "alf", 2), ("midpoint", "s-both2", 2),
         ("ida", "ggl", 5), ("ida", "baumgarte", 5), ("ida", "plain", 5), ("hem3", "projection", 3)]


def series(rng, end, drift, energy, step, n=300):
    t = [end * i / n for i in range(n + 1)]
    wave = [1 + 0.8 * math.sin(9 * x / end * 6.28 + rng.random()) for x in t]
    return {"t": t,
            "drift": [0.0] + [drift * (0.1 + w) for w in wave[1:]],
            "energy": [0.0] + [energy * (0.02 + x / end) * w for x, w in zip(t[1:], wave[1:])],
            "h": [step * w for w in wave]}


def row(number, integrator, stabilization, accuracy, error, cpu, end, rng):
    adaptive = integrator in ("dop853", "dopri5", "ida")
    return {
        "id": f"{integrator}+{stabilization} {'rtol' if adaptive else 'h'} {accuracy:g}", "integrator": integrator, "stabilization": stabilization,
        "source": "B72", "parameters": "alpha1 20, alpha0 100", "step": None if adaptive else accuracy, "rtol": accuracy if adaptive else None,
        "status": "done", "reason": None, "where": None, "t_failed": None, "error": error,
        "force_error": error * 2, "forces": "good",
        "errors": {"position": error * 0.3, "angle": error, "velocity": error * 0.8, "rate": error * 0.9},
        "position_drift": error * 1e-4, "velocity_drift": error * 1e-2, "energy_error": error * 0.5,
        "branch_changes": 2 if stabilization == "baumgarte" else 0, "steps": int(cpu * 1e5) + 1, "rejected": 3 if adaptive else 0,
        "evaluations": {"force": int(cpu * 6e5), "jacobian": int(cpu * 6e5), "factorization": int(cpu * 3e5)},
        "cpu_s": cpu, "cpu_min_s": cpu * 0.97, "cpu_max_s": cpu * 1.08, "repeats": 5, "peak_memory_kb": 6400 + number * 12,
        "pareto": False, "resolved": error > 4e-10, "series": series(rng, end, error * 1e-4, error * 0.5, 0.01 if adaptive else accuracy)}


def mark_front(rows):
    best = math.inf
    for item in sorted((r for r in rows if r["status"] == "done"), key=lambda r: (r["cpu_s"], r["error"])):
        if item["error"] < best:
            best = item["error"]
            item["pareto"] = True


def failed(number, integrator, stabilization, reason, where, t):
    return {"id": f"{integrator}+{stabilization} {number}", "integrator": integrator, "stabilization": stabilization, "source": "B72",
            "step": 0.01, "rtol": None, "status": "failed", "resolved": False,
            "reason": reason, "where": where, "t_failed": t, "error": None,
            "force_error": None, "forces": None,
            "errors": {"position": None, "angle": None, "velocity": None, "rate": None}, "position_drift": None,
            "velocity_drift": None, "energy_error": None, "branch_changes": None, "steps": 71, "rejected": None,
            "evaluations": {"force": 300, "jacobian": 300, "factorization": 300}, "cpu_s": None, "cpu_min_s": None,
            "cpu_max_s": None, "repeats": 0, "peak_memory_kb": None, "pareto": False, "series": {"t": [], "drift": [], "energy": [], "h": []}}


def comparison(pairs=None, per_pair=4, failures=True):
    """Rows for the pairs, `per_pair` accuracies each; the numbers fall as order and cost would have them."""
    rng, rows, end = random.Random(5), [], 10.0
    for integrator, stabilization, order in pairs if pairs is not None else PAIRS:
        price, quality = 10 ** rng.uniform(-2.6, -1.5), 10 ** rng.uniform(-4.5, -1)
        for k in range(per_pair):
            adaptive = integrator in ("dop853", "dopri5", "ida")
            work = 1.6 ** k if adaptive else 2.0 ** k
            accuracy = 10.0 ** (-4 - 2 * k) if adaptive else 0.01 / 2 ** k
            rows.append(row(len(rows), integrator, stabilization, accuracy, quality * work ** -order, price * work, end, rng))
    if failures:
        rows.append(failed(len(rows), "dopri5", "plain", "the constraints lost rank and the step fell below 1e-13 s; a run of the same method with "
                           "projection passes, so it is the drift that brought it here", "joint C", 0.70833))
        rows.append(failed(len(rows), "rk4", "baumgarte", "the energy grew without bound", None, None))
    mark_front(rows)
    recommendations = []
    for accuracy in (1e-4, 1e-6, 1e-9):
        good = sorted((r for r in rows if r["error"] is not None and r["error"] <= accuracy), key=lambda r: r["cpu_s"])
        if good:
            r = good[0]
            sentence = (f"for {accuracy:g}: {r['integrator']} with {r['stabilization']}, {r['cpu_s']:.2g} s; "
                        + (f"{good[1]['integrator']} with {good[1]['stabilization']} is {good[1]['cpu_s'] / r['cpu_s']:.1f} times slower; " if len(good) > 1 else "")
                        + "baumgarte fails at t = 0.708 s (joint C, rank loss)")
        recommendations.append({"accuracy": accuracy, "row": good[0]["id"] if good else None,
                                "sentence": sentence if good else f"no run reaches {accuracy:g}"})
    return {"scene": "scenes/double_four_bar.json",
            "title": "Two four-bar linkages side by side, all bars in line twice a turn (v0: start speed)",
            "command": "trammel compare scenes/double_four_bar.json --repeat 5 --report report.html",
            "version": "0.1.0", "status": "done", "problem": None, "end": end, "model": {"bodies": 3, "constraints": 8},
            "reference": {"method": "dop853+s-both2 rtol 1e-13", "partner": "dopri5+projection rtol 1e-13", "from_file": False,
                          "agreement": 4e-12, "t_agree": end, "apart_at_end": 4e-12,
                          "verdict": "Reference: dop853+s-both2 rtol 1e-13, which dopri5+projection rtol 1e-13 agrees with to 4e-12.",
                          "scale": {"position": 1.2, "angle": 1, "velocity": 3.4, "rate": 5.6}},
            "rows": rows, "recommendations": recommendations, "left_out": 0, "picture": PICTURE,
            "warnings": [{"stabilization": "baumgarte", "rows": 8, "bad": 8, "t": 0.708, "sentence":
                          "baumgarte: of 8 rows 8 reached the end with another motion, off by up to 0.3 of its size (8 on another assembly branch)."},
                         {"stabilization": "plain", "rows": 5, "bad": 1, "t": 0.708, "sentence":
                          "plain: of 5 rows 1 stopped, dopri5+plain h 0.01 first, at t = 0.7083 s: the constraints lost rank."}],
            "crossings": list(PASSED),
            "passages": [{"t": t, "sigma": 1e-9, "joints": "A, B, C", "bifurcation": t > 7} for t in PASSED],
            "timing": {"noise": 0.05, "jobs": 2, "budget": 10, "reference_wall_s": 1, "rows_wall_s": 3, "timing_wall_s": 9}}
