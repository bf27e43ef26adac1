"""Small panels: what is written on one is clear of its neighbours."""

import re

from lab.plot.multiples import Panel, multiples


def test_the_name_of_a_small_panel_keeps_clear_of_the_ticks_above_it():
    names = [f"hello world over TLS: nginx ÷ Tornado {i}" for i in range(6)]
    panels = [Panel(name, [(1.2, 1.0, 1.5)] * 2, (1.1,)) for name in names]
    page = multiples(panels, ["18", "20"], caption="c", name="n", x="Node")._repr_html_()
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert drawings
    for svg in drawings:
        size = float(re.findall(r"font-size:([\d.]+)px", svg)[-1])
        ticks = {float(y) for y in re.findall(r'y="([\d.]+)">20<', svg)}
        titles = re.findall(r'translate\([\d.]+ ([\d.]+)\)">hello', svg)
        titles += re.findall(r' y="([\d.]+)">hello', svg)
        assert len(titles) == 6
        below = [y - max(over) for y in map(float, titles) if (over := [t for t in ticks if t < y])]
        assert below and min(below) > size + 6  # from the foot of the ticks to the foot of the name
