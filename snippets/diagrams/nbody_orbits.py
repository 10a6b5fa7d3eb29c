"""Two turns of a planet, by Euler's steps and by leapfrog: where it goes, and its energy."""

import numpy as np

from snippets.diagrams import common


def orbit(turns, steps, leapfrog):
    """Return the planet's places and energies; the same arithmetic as kernels/nbody/orbit.py."""
    place, velocity, dt = np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2 * np.pi / steps
    places, energies = [place.copy()], [-0.5]
    for _ in range(turns * steps):
        pull = -place / np.hypot(*place) ** 3
        if leapfrog:
            velocity = velocity + pull * dt / 2
            place = place + velocity * dt
            velocity = velocity - place / np.hypot(*place) ** 3 * dt / 2
        else:
            place, velocity = place + velocity * dt, velocity + pull * dt
        places.append(place.copy())
        energies.append((velocity**2).sum() / 2 - 1 / np.hypot(*place))
    return np.array(places), np.array(energies)


def path(points, stroke):
    """Return a line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" fill="none" stroke="{stroke}" stroke-width="1.6"/>'


def draw(theme):
    ink, shapes = theme["ink"], []
    x0, y0, scale = 112, 128, 38
    for leapfrog, color in ((False, "amber"), (True, "accent")):
        places, energies = orbit(2, 60, leapfrog)
        shapes.append(path(places * scale * [1, -1] + [x0, y0], theme[color]))
        along = np.linspace(246, 430, len(energies))
        shapes.append(path(np.stack([along, 46 - 300 * (energies + 0.2)], axis=1), theme[color]))
    shapes.append(f'<circle cx="{x0}" cy="{y0}" r="5" fill="{ink}"/>')
    shapes.append(common.line(246, 30, 246, 150, theme["grid"]))
    shapes.append(common.line(246, 150, 430, 150, theme["grid"]))
    shapes.append(common.text(4, 14, "two turns, 60 steps each", ink, 12, "start", "bold"))
    shapes.append(common.text(246, 14, "energy of the planet", ink, 12, "start", "bold"))
    shapes.append(common.text(338, 168, "steps", ink, 11))
    for k, (color, words) in enumerate((("amber", "Euler: spirals away"),
                                        ("accent", "leapfrog: stays"))):  # fmt: skip
        shapes.append(common.rect(246, 190 + 22 * k, 12, 12, theme[color], radius=1))
        shapes.append(common.text(264, 200 + 22 * k, words, ink, 12, "start"))
    label = "A planet's path and energy over two turns: with Euler's steps both grow, with leapfrog"
    return common.svg(440, 250, *shapes, label=label + " the path stays a circle")
