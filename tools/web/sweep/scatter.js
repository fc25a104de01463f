// The scatter matrix: histograms of what is chosen on the diagonal, a point for each run below it.

const MOST_COLUMNS = 8;

function drawScatter(data) {
    const all = data.columns.filter(column => column.n > 0);
    const chosen = new Set([...data.varied.filter(c => c.n > 0).slice(0, 3), ...data.outputs.filter(c => c.n > 0).slice(0, 3)]);
    byId("scatter-section").hidden = all.length < 2 || data.points.length === 0;
    byId("scatter-lead").textContent = `${data.points.length < data.shown ? `An even choice of ${plural(data.points.length, "run")}.` : `All ${plural(data.points.length, "run")}.`} Eight columns at most are shown.`;
    byId("scatter-columns").replaceChildren(...all.map(column => {
        const box = make("input", { type: "checkbox", checked: chosen.has(column) });
        box.addEventListener("change", () => {
            if (!box.checked) chosen.delete(column);
            else if (chosen.size < MOST_COLUMNS) chosen.add(column);
            else box.checked = false;
            matrix(data, all.filter(c => chosen.has(c)));
        });
        return make("label", {}, box, column.name);
    }));
    matrix(data, all.filter(c => chosen.has(c)));
}

function matrix(data, columns) {
    const m = columns.length, side = 900 / Math.max(3, m), gap = 10, left = 62;
    if (m < 2) {
        byId("scatter").replaceChildren(make("p", { class: "empty" }, "Tick two columns or more."));
        return;
    }
    const scales = columns.map(c => padded(c.from, c.to)), height = m * side + 34;
    const svg = canvas(left + m * side, height, `Scatter matrix of ${columns.map(c => c.name).join(", ")}`);
    columns.forEach((row, i) => columns.slice(0, i + 1).forEach((column, k) => {
        const x0 = left + k * side, y0 = i * side, size = side - gap;
        const x = scale("linear", scales[k], [x0, x0 + size]), y = scale("linear", scales[i], [y0 + size, y0]);
        svg.append(draw("rect", { class: "cell", x: x0, y: y0, width: size, height: size }));
        svg.append(i === k ? diagonal(row, x0, y0, size) : draw("path", { class: "dots", d: dots(data, row, column, x, y) }));
        if (k === 0 && i > 0) svg.append(edgeNumbers(row, x0 - 6, y0 + 10, y0 + size, false));
        if (i === m - 1) svg.append(edgeNumbers(column, x0, x0 + size, y0 + size + 16, true));
    }));
    byId("scatter").replaceChildren(svg);
}

function dots(data, row, column, x, y) {
    let path = "";
    for (const point of data.points) {
        const a = point[column.index], b = point[row.index];
        if (isNumber(a) && isNumber(b)) path += `M${x.clamped(a).toFixed(1)} ${y.clamped(b).toFixed(1)}h0`;
    }
    return path;
}

function diagonal(column, x0, y0, size) {
    const most = Math.max(1, ...column.bins), n = column.bins.length, width = size / 1.08 / n, from = x0 + size * 0.037;
    return draw("g", {}, column.bins.map((count, k) => draw("rect", { class: column.varied ? "bar varied" : "bar", x: (from + k * width).toFixed(2), y: (y0 + size - 0.7 * size * count / most).toFixed(2), width: Math.max(0.5, width - 0.5).toFixed(2), height: (0.7 * size * count / most).toFixed(2) })),
        draw("text", { class: "name strong", x: x0 + 8, y: y0 + 18 }, column.name.length > size / 8 ? `${column.name.slice(0, Math.floor(size / 8) - 1)}…` : column.name),
        column.unit ? draw("text", { x: x0 + 8, y: y0 + 33 }, column.unit) : null);
}

/** The ends of a column's values, along the edge. */
function edgeNumbers(column, a, b, c, across) {
    const low = figure(column.from), high = figure(column.to);
    return across ? draw("g", {}, draw("text", { x: a, y: c }, low), draw("text", { x: b, y: c, "text-anchor": "end" }, high))
        : draw("g", {}, draw("text", { x: a, y: c, "text-anchor": "end" }, low), draw("text", { x: a, y: b, "text-anchor": "end" }, high));
}
