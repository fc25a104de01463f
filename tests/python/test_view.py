"""result.view(), its frame in a notebook, and result.plot()."""
import base64
import gzip
import html
import json
import re
import sys

import pytest

import trammel


def data_of(page):
    blocks = dict(re.findall(r'<script type="text/plain" id="([a-z-]+)">([^<]+)</script>', page))
    data = gzip.decompress(base64.b85decode(blocks["data"].translate(str.maketrans(",.:", "<&?"))))
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


@pytest.fixture
def opened(monkeypatch):
    """Addresses that a browser was sent to."""
    found = []
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def test_view_writes_the_page_of_this_result_and_opens_it(tmp_path, opened):
    result = trammel.load("scenes/slider_crank_turn.json", set={"l": 1.5}).simulate(end=2, every=0.01)
    path = result.view(tmp_path / "crank.html")
    data = data_of(open(path, encoding="utf-8").read())
    assert opened == [(tmp_path / "crank.html").as_uri()]
    assert [body["name"] for body in data["bodies"]] == ["crank", "rod"] and data["bodies"][0]["size"][0] == 1.5
    assert data["runs"][0]["rows"] == 201 and not data["runs"][0]["notes"]


def test_view_of_a_scene_from_a_text_and_without_a_path(opened):
    with open("scenes/pendulum.json", encoding="utf-8") as file:
        result = trammel.Scene.parse(file.read()).build().simulate(end=1, every=0.01)
    path = result.view(show=False)
    assert path.endswith(".html") and not opened
    data = data_of(open(path, encoding="utf-8").read())
    assert data["joints"], "the scene was not found"
    assert data["scene"] == "scene.json" and "trammel-" not in data["command"].split(" -o ")[0], data["command"]


def test_view_tells_what_is_wrong(tmp_path, opened):
    result = trammel.load("scenes/pendulum.json").simulate(end=0.1)
    with pytest.raises(trammel.FileError, match="cannot be written"):
        result.view(tmp_path / "no" / "folder.html")
    with pytest.raises(trammel.OptionsError, match=r"\.html"):
        result.view(tmp_path / "x.avi")
    assert not opened


def test_a_notebook_shows_the_page_in_a_frame():
    frame = trammel.load("scenes/pendulum.json").simulate(end=1, every=0.01)._repr_html_()
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', frame).group(1))
    assert frame.startswith("<iframe") and 'sandbox="allow-scripts"' in frame
    assert data_of(page)["bodies"][0]["name"] == "bob"


class Axes:
    """As much of Matplotlib's as plot uses."""

    def __init__(self):
        self.lines = {}

    def plot(self, t, values, label):
        self.lines[label] = (t, values)

    def set_xlabel(self, text):
        self.label = text

    def legend(self):
        pass


def test_plot_draws_the_columns_that_are_named():
    result = trammel.load("scenes/pendulum.json").simulate(end=1, every=0.1)
    axes = Axes()
    assert result.plot("energy", "drift.position", ax=axes) is axes
    assert list(axes.lines) == ["energy.kinetic[J]", "energy.potential[J]", "energy.work[J]", "drift.position"]
    assert (axes.lines["energy.kinetic[J]"][1] == result.energy.kinetic).all() and axes.label == "t [s]"
    with pytest.raises(trammel.OptionsError, match="enrgy"):
        result.plot("enrgy", ax=axes)


def test_plot_without_matplotlib_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="python3-matplotlib"):
        trammel.load("scenes/pendulum.json").simulate(end=0.1).plot("energy")
