"""Carts that learn to keep a hanging bar still, side by side, in the style of a vector environment.

    python3 vector_env.py [--runs N] [--episodes M]

The interface is that of Gymnasium's vector environments: reset() -> observations, step(actions) -> observations, rewards,
terminated, truncated; an episode that has ended begins anew with the next step. Gymnasium itself is not needed.
"""
import argparse
import os

import numpy as np

import trammel

PERIOD, LIMIT = 0.05, 1.0  # s between two decisions; m, half the length of the rail


class Carts:
    """n carts, each with a bar hanging from it. An action is the force on a cart (N)."""

    def __init__(self, n, seed=0, horizon=60):
        scene = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cart.json")
        self.model = trammel.load(scene)
        self.batch = self.model.batch(n, sensors=["rail.coordinate", "rail.coordinate_rate", "pin.coordinate", "pin.coordinate_rate"])
        self.random, self.horizon = np.random.default_rng(seed), horizon
        self.steps = np.zeros(n, dtype=int)
        self.over = np.ones(n, dtype=bool)

    def _begin(self, run):
        """From rest at a place on the rail that differs."""
        q = self.model.q0.copy()
        q[[0, 3]] += self.random.uniform(-0.5, 0.5)  # x of cart and bar
        self.batch.reset(run, q=q, v=self.model.v0)
        self.steps[run], self.over[run] = 0, False

    def reset(self):
        for run in range(len(self.batch)):
            self._begin(run)
        return self.batch.sensor_values.copy()

    def step(self, actions):
        for run in np.flatnonzero(self.over):
            self._begin(run)
        self.batch.inputs[:, 0] = actions
        self.batch.step(PERIOD, strict=False)
        self.steps += 1
        x, _, angle, rate = self.batch.sensor_values.T
        terminated = (np.abs(x) > LIMIT) | (self.batch.status != 0)
        truncated = self.steps >= self.horizon
        self.over = terminated | truncated
        rewards = -(x * x + angle * angle + 0.1 * rate * rate) - 10.0 * terminated
        return self.batch.sensor_values.copy(), rewards, terminated, truncated


def returns(carts, gains):
    """What linear controllers get in one episode: gains[n, 4], one for each cart."""
    seen, total, alive = carts.reset(), np.zeros(len(gains)), np.ones(len(gains), dtype=bool)
    for _ in range(carts.horizon):
        seen, rewards, terminated, _ = carts.step(np.clip(np.sum(gains * seen, axis=1), -20, 20))
        total += rewards * alive
        alive &= ~terminated
    return total


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=64)
    options.add_argument("--episodes", type=int, default=12)
    given = options.parse_args()
    carts, random = Carts(given.runs), np.random.default_rng(1)
    mean, deviation = np.zeros(4), np.full(4, 5.0)
    print(f"{given.runs} carts, {carts.batch.method}")
    for episode in range(given.episodes):  # the best eighth makes the next generation
        gains = mean + deviation * random.normal(size=(given.runs, 4))
        total = returns(carts, gains)
        best = gains[np.argsort(total)[-max(2, given.runs // 8):]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"episode {episode + 1:2d}: mean return {total.mean():9.3f}, best {total.max():8.3f}")


if __name__ == "__main__":
    main()
