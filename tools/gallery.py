#!/usr/bin/env python3
"""Draws the moving pictures of docs/gallery and writes docs/gallery.md and docs/industrial.md.

    tools/gallery.py TRAMMEL
"""
import os
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = [
    ("slider_crank_turn", ["--end", "5.6"],
     "A crank and a rod of equal length. When they lie on each other, the slider could rest while both turn as "
     "one. The constraints lose rank, twice a turn, and the mechanism goes straight through."),
    ("slider_crank_swing", [], "The same bars, swinging to and fro through that position, hanging."),
    ("four_bar", ["--end", "6"], "A parallelogram whose bars fall in line twice a turn. From there a crossed motion is as possible as the parallel one."),
    ("double_four_bar", ["--end", "5"], "Two of them in a row: five bars, one freedom, two constraints lost at once."),
    ("jansen_leg", [], "Theo Jansen's leg: a servo turns the crank, and the foot walks a flat line."),
    ("andrews", [], "Andrews' squeezing mechanism, the classic of stiff linkages: seven bodies, thirty milliseconds, shown some two hundred times slower."),
    ("arm_parabola", [], "A two-link arm whose tip is held to a parabola."),
    ("arm_sine", [], "The same arm, the height of its tip prescribed in time."),
    ("chain_10", ["--end", "4"], "Ten bars, fixed at one end and let go from the horizontal."),
    ("planetary_gear", [], "A sun, two planets that roll on it, and a ring that stands still; the carrier turns slowly."),
    ("bouncing_ball", ["--end", "4"], "A ball that bounces on a stop until it rests."),
    ("bead_on_helix", [], "A bead on a wire, given by formulas. At its end it bounces."),
    ("spatial_slider_crank", ["--end", "4"], "A slider-crank in space, with a ball joint and a cross joint."),
    ("heavy_top", [], "A heavy top on a fixed point, spinning at 150 rad/s."),
    ("double_pendulum_3d", [], "Two bodies on ball joints."),
]
ROBOTS = [
    ("delta.xml", ["--end", "2"], "A delta robot of MJCF, read and drawn in one go: three arms of two rods, and its shapes for eyes."),
    ("gripper.xml", ["--end", "2"], "A gripper of MJCF: fingers and pads that equalities and tendons couple."),
    ("quadruped.xml", ["--end", "0.5"], "A quadruped of MJCF whose legs are five-bars: it falls, and springs at its hips push the legs."),
    ("humanoid.xml", ["--end", "2"], "A humanoid of MJCF that hangs by a ball joint: rods along its shanks drive the ankles."),
]
HEAD = """# Gallery

Scenes of this repository, moving, for readers who want to see what a scene can hold. Each picture
is an SVG without a script, made by the command below it; `-o x.html` in place of `--animate -o
x.svg` writes a page with a time line, plots and reactions ([view](reference/view.md)).
`tools/gallery.py build/tools/trammel` makes all of them.
"""


def main(program):
    os.chdir(ROOT)
    os.makedirs("docs/gallery", exist_ok=True)
    parts = [HEAD]
    for source, options, words in [(f"scenes/{name}.json", *rest) for name, *rest in SCENES] + [
            (f"tests/import/models/{name}", *rest) for name, *rest in ROBOTS]:
        name = os.path.splitext(os.path.basename(source))[0]
        command = ["view", source, *options, "--animate", "-o", f"docs/gallery/{name}.svg"]
        subprocess.run([program, *command], check=True, stdout=subprocess.DEVNULL)
        typed = " ".join(command[:-2]) + " \\\n        -o " + command[-1]
        said = textwrap.fill(words, 98)
        parts.append(f"## {name}\n\n{said}\n\n![{name}, moving](gallery/{name}.svg)\n\n    trammel {typed}\n")
    with open("docs/gallery.md", "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    sys.path.insert(0, "validation")
    import industrial
    with open("docs/industrial.md", "w", encoding="utf-8") as file:
        file.write(industrial.page(program))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
