// A study: errors along one parameter, one line for each number of iterates, and the slopes of the
// theory as thin lines through the first point of each.

function drawStudy(page) {
    const lines = Array.isArray(page.model.data.study) ? page.model.data.study : [];
    byId("study-section").hidden = lines.length === 0;
    byId("study").replaceChildren(...["epsilon", "h"].map(along => studyChart(page, along, lines.filter(line => line.along === along))));
}

function studyChart(page, along, lines) {
    const points = lines.flatMap(line => line.x.map((x, i) => [x, line.error[i]])).filter(([, error]) => isNumber(error) && error > 0);
    if (points.length === 0) return make("p", { class: "empty" }, `No run along ${along} has an error.`);
    const width = page.printing || byId("study").clientWidth, height = 320;
    const x = scale("log", logDomain(points.map(point => point[0])), [58, width - 96]);
    const y = scale("log", logDomain(points.map(point => point[1]), WORST_SHOWN), [height - 48, 30]);
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Error against ${along}` },
        leftAxis(y, x.range), durationAxis(x, y.range),
        draw("text", { class: "name", x: 0, y: 14 }, along === "h" ? "Error, with epsilon = h" : "Error, at the finest h"),
        draw("text", { class: "name", x: x.range[1], y: height - 6, "text-anchor": "end" }, along),
        lines.map((line, i) => studyLine(line, i, x, y)));
}

function studyLine(line, i, x, y) {
    const known = line.x.map((value, k) => [value, line.error[k]]).filter(([, error]) => isNumber(error) && error > 0);
    if (known.length === 0) return null;
    const at = ([value, error]) => `${x(value).toFixed(1)} ${y.clamped(error).toFixed(1)}`;
    const [first, last] = [known[0], known[known.length - 1]];
    const theory = [first, [last[0], first[1] * (last[0] / first[0]) ** line.theory]];
    return draw("g", { class: `line k${i}` },
        draw("path", { class: "axis theory", d: `M${theory.map(at).join("L")}`, "stroke-dasharray": "2 3" }),
        draw("path", { class: `curve k${i}`, d: `M${known.map(at).join("L")}` }),
        known.map(point => draw("g", { class: `point k${i}`, transform: `translate(${at(point)})` }, draw("path", { d: markerPath(MARKERS[i], 3.6) }))),
        draw("text", { x: x.range[1] + 8, y: y.clamped(first[1]) + 4 }, `s = ${line.iterations}, slope ${line.theory}`));
}
