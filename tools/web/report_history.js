// Drift, energy error and step size of the chosen runs against time.

const PANELS = [
    { key: "drift", name: "Position drift", unit: "m, rad" },
    { key: "energy", name: "Energy error", unit: "relative" },
    { key: "h", name: "Step size", unit: "s" },
];

/** Of several chosen runs of one colour each has its own dash, as long as there are any. */
function historyDash(page, row) {
    const used = new Set();
    for (const other of chosenRows(page.model).filter(candidate => candidate.colour === row.colour)) {
        let dash = other.dash;
        for (let k = 0; k < DASHES.length && used.has(dash); k++) dash = (dash + 1) % DASHES.length;
        if (other === row) return DASHES[dash];
        used.add(dash);
    }
    return DASHES[row.dash];
}

function drawHistory(page) {
    const place = byId("history"), model = page.model;
    const rows = chosenRows(model).filter(row => row.hasSeries);
    drawChosen(page, rows);
    byId("history-lead").textContent = historyLead(model);
    if (rows.length === 0) {
        place.replaceChildren(make("p", { class: "empty" }, model.rows.some(row => row.hasSeries)
            ? "No run is chosen: tick one in the table, or click a point above." : "No run was recorded."));
        return;
    }
    const width = page.printing || place.clientWidth;
    const shown = PANELS.filter(panel => rows.some(row => Array.isArray(row.series[panel.key]) && row.series[panel.key].some(isNumber)));
    const each = width < 600 ? 150 : 168, gap = 46;
    const height = shown.length * (each + gap) + 44;
    const x = scale("linear", timeDomain(model, rows), [58, width - 30]);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${shown.map(panel => panel.name).join(", ")} against time for ${rows.map(row => `${row.method}, ${row.setting}`).join("; ")}` });
    const panels = shown.map((panel, i) => {
        const top = i * (each + gap) + gap;
        const values = rows.flatMap(row => row.series[panel.key] || []).map(magnitude);
        const y = scale("log", logDomain(values), [top + each, top]);
        svg.append(historyPanel(page, panel, rows, x, y, i === shown.length - 1));
        return { panel, y };
    });
    svg.append(draw("text", { class: "name", x: width - 30, y: height - 4, "text-anchor": "end" }, "Time [s]"));
    place.replaceChildren(svg);
    listenHistory(page, svg, rows, x, panels);
}

const magnitude = value => (isNumber(value) ? Math.abs(value) : null);

function timeDomain(model, rows) {
    const times = rows.flatMap(row => row.times).filter(isNumber);
    const start = Math.min(0, ...times), end = Math.max(...times, isNumber(model.data.end) ? model.data.end : start);
    return [start, end > start ? end : start + 1];
}

function historyLead(model) {
    const n = model.crossings.length, forks = model.crossings.filter(crossing => crossing.bifurcation).length;
    return n === 0 ? "The chosen runs over time. No singular position was passed."
        : `The chosen runs over time. Dotted lines: ${plural(n, "singular position")}, where constraints lose rank${forks > 0 ? `; dashed: ${forks} of them, where more than one motion goes on` : ""}.`;
}

function historyPanel(page, panel, rows, x, y, last) {
    const group = draw("g", { "data-panel": panel.key }, leftAxis(y, x.range), timeAxis(x, y.range[0], last),
        draw("text", { class: "name", x: 0, y: y.range[1] - 12 }, panel.name,
            draw("tspan", { fill: "var(--soft)", dx: 6 }, `[${panel.unit}]`)));
    for (const { t, bifurcation } of page.model.crossings) {
        if (t < x.domain[0] || t > x.domain[1]) continue;
        group.append(draw("line", { class: bifurcation ? "crossing fork" : "crossing", x1: x(t), x2: x(t), y1: y.range[0], y2: y.range[1] }));
    }
    const ends = [];
    for (const row of rows) {
        const path = historyPath(row.times, row.series[panel.key] || [], x, y);
        if (path.d === "") continue;
        group.append(draw("path", { class: `curve k${row.colour}`, "data-row": row.index, d: path.d, "stroke-dasharray": historyDash(page, row) || null }));
        ends.push({ row, x: path.end[0], y: path.end[1] });
    }
    return fill(group, {}, endLetters(page, ends, y));
}

/** Gaps where there is no number; exact zeros lie on the lower edge, except those before the first other value. */
function historyPath(times, values, x, y) {
    let d = "", pen = false, begun = false, end = null;
    times.forEach((t, i) => {
        const value = magnitude(values[i]);
        begun = begun || value > 0;
        if (!isNumber(t) || value === null || !begun) {
            pen = false;
            return;
        }
        end = [x(t), y.clamped(value)];
        d += `${pen ? "L" : "M"}${end[0].toFixed(1)} ${end[1].toFixed(1)}`;
        pen = true;
    });
    return { d, end };
}

/** The letters of the lines at their right ends, moved apart where they would touch. */
function endLetters(page, ends, y) {
    const sorted = ends.sort((a, b) => a.y - b.y);
    let above = y.range[1] - 6;
    for (const end of sorted) {
        end.label = Math.max(end.y, above + 13);
        above = end.label;
    }
    let below = y.range[0] + 8;
    for (const end of sorted.reverse()) {
        end.label = Math.min(end.label, below - 13);
        below = end.label;
    }
    return sorted.map(end => draw("text", { class: `letter k${end.row.colour}`, x: end.x + 7, y: end.label + 4 }, letter(slotOf(page.model, end.row))));
}

function drawChosen(page, rows) {
    byId("chosen").replaceChildren(...rows.map(row => {
        const remove = make("button", { type: "button", "aria-label": `Take ${row.method}, ${row.setting} out` }, "×");
        remove.addEventListener("click", () => page.choose(row));
        return make("li", {}, make("span", { class: `letter k${row.colour}` }, letter(slotOf(page.model, row))),
            swatch(row, false, historyDash(page, row)), make("span", {}, make("b", {}, row.method), `, ${row.setting}`), page.printing ? null : remove);
    }));
}

/** The last sample at or before t */
function sampleAt(times, t) {
    let low = 0, high = times.length - 1;
    if (high < 0 || t < times[0]) return -1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t) low = middle;
        else high = middle - 1;
    }
    return low;
}

function listenHistory(page, svg, rows, x, panels) {
    const cursor = draw("line", { class: "cursor", y1: panels[0].y.range[1], y2: panels[panels.length - 1].y.range[0], visibility: "hidden" });
    svg.append(cursor);
    const hide = () => {
        cursor.setAttribute("visibility", "hidden");
        hideTip();
    };
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("pointermove", event => {
        const box = svg.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
        const here = panels.find(({ y }) => py <= y.range[0] + 10) || panels[panels.length - 1];
        if (px < x.range[0] || px > x.range[1]) {
            hide();
            return;
        }
        const t = x.back(px);
        cursor.setAttribute("x1", px);
        cursor.setAttribute("x2", px);
        cursor.setAttribute("visibility", "visible");
        const pairs = rows.map(row => {
            const i = sampleAt(row.times, t), values = row.series[here.panel.key] || [];
            return [`${letter(slotOf(page.model, row))}  ${row.method}`, scientific(i < 0 ? null : magnitude(values[i]))];
        });
        const close = page.model.crossings.find(crossing => Math.abs(x(crossing.t) - px) < 4);
        if (close !== undefined) pairs.push(["Singular", `${close.t.toPrecision(5)} s${close.joints ? `, ${close.joints}` : ""}`]);
        showTip(`${here.panel.name} at t = ${t.toPrecision(4)} s`, pairs, event.pageX, event.pageY);
    });
}
