// Histograms, envelopes and convergence.

const WIDE = 300, WIDER = 520, TALL = 150; // of a panel, in its own units

/** Four digits; powers of ten where there would be too many zeros. */
function figure(x) {
    if (!isNumber(x)) return "–";
    const size = Math.abs(x);
    const text = x !== 0 && (size < 1e-3 || size >= 1e6) ? x.toExponential(3).replace("e+", "e") : String(Number(x.toPrecision(4)));
    return text.replaceAll("-", "−");
}

/** Ticks that stay readable whatever the size of the numbers. */
function ticksOf(domain, room) {
    return linearTicks(domain, room).map(tick => ({ value: tick.value, text: figure(Math.abs(tick.value) < 1e-12 * (domain[1] - domain[0]) ? 0 : tick.value) }));
}

function titled(column) {
    return [column.name, column.unit ? make("span", {}, ` [${column.unit}]`) : null];
}

function panel(caption, svg) {
    return make("figure", { class: "panel" }, make("figcaption", {}, caption), svg);
}

function canvas(width, height, label, ...children) {
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...children);
}

/** A little room around; never empty. */
function padded(low, high) {
    const room = high > low ? 0.04 * (high - low) : Math.abs(low) * 0.1 || 1;
    return [low - room, high + room];
}

function below(x, y0) {
    return draw("g", {},
        draw("line", { class: "axis", x1: x.range[0], x2: x.range[1], y1: y0, y2: y0 }),
        ticksOf(x.domain, (x.range[1] - x.range[0]) / 70).map(tick => [
            draw("line", { class: "axis", x1: x(tick.value), x2: x(tick.value), y1: y0, y2: y0 + 4 }),
            draw("text", { x: x(tick.value), y: y0 + 18, "text-anchor": "middle" }, tick.text)]));
}

function beside(y, x0, x1) {
    return draw("g", {},
        ticksOf(y.domain, Math.abs(y.range[0] - y.range[1]) / 32).map(tick => [
            draw("line", { class: "grid", x1: x0, x2: x1, y1: y(tick.value), y2: y(tick.value) }),
            draw("text", { x: x0 - 7, y: y(tick.value) + 4, "text-anchor": "end" }, tick.text)]));
}

function histogram(column) {
    const most = Math.max(1, ...column.bins), n = column.bins.length;
    const x = scale("linear", padded(column.from, column.to), [4, WIDE - 4]), y = scale("linear", [0, most], [TALL - 24, 6]);
    const edge = k => x(column.from + (column.to - column.from) * k / n);
    const bars = column.bins.map((count, k) => {
        const left = n === 1 ? x(column.from) - 12 : edge(k), width = n === 1 ? 24 : edge(k + 1) - edge(k);
        return draw("rect", { class: column.varied ? "bar varied" : "bar", x: left.toFixed(2), y: y(count).toFixed(2), width: Math.max(0.5, width - 0.6).toFixed(2), height: (TALL - 24 - y(count)).toFixed(2) });
    });
    return panel(titled(column), canvas(WIDE, TALL, `Histogram of ${column.name}: ${plural(column.n, "run")}, from ${figure(column.from)} to ${figure(column.to)}`, bars, below(x, TALL - 24)));
}

/** [time, runs, 7 quantiles] -> three bands and the median. */
function envelope(item) {
    const rows = item.bands.filter(row => isNumber(row[5]));
    if (rows.length === 0) return null;
    const y = scale("linear", padded(Math.min(...rows.map(row => row[2])), Math.max(...rows.map(row => row[8]))), [TALL + 30, 6]);
    const x = scale("linear", [rows[0][0], Math.max(rows[rows.length - 1][0], rows[0][0] + 1e-300)], [58, WIDER - 8]);
    const at = (row, k) => `${x(row[0]).toFixed(2)} ${y(row[k]).toFixed(2)}`;
    const band = (low, high, level) => draw("path", { class: `band b${level}`, d: `M${rows.map(row => at(row, low)).join("L")}L${[...rows].reverse().map(row => at(row, high)).join("L")}Z` });
    const svg = canvas(WIDER, TALL + 58, `Envelope of ${item.name} over time`, beside(y, 58, WIDER - 8), below(x, TALL + 30),
        band(2, 8, 0), band(3, 7, 1), band(4, 6, 2), draw("path", { class: "middle", d: `M${rows.map(row => at(row, 5)).join("L")}` }),
        draw("text", { x: 4, y: TALL + 48 }, "t [s]"));
    svg.addEventListener("pointermove", event => {
        const box = svg.getBoundingClientRect(), t = x.back((event.clientX - box.left) / box.width * WIDER);
        const row = rows.reduce((best, other) => (Math.abs(other[0] - t) < Math.abs(best[0] - t) ? other : best));
        showTip(item.name, [["t", `${figure(row[0])} s`], ["runs", whole(row[1])], ["least", figure(row[2])], ["5 %", figure(row[3])], ["25 %", figure(row[4])],
            ["median", figure(row[5])], ["75 %", figure(row[6])], ["95 %", figure(row[7])], ["largest", figure(row[8])]], event.pageX, event.pageY);
    });
    svg.addEventListener("pointerleave", hideTip);
    return panel(titled(item), svg);
}

/** [runs, mean, deviation, values]: the mean so far, with 1.96 standard errors. */
function runningMean(column, stages) {
    const rows = stages.filter(row => isNumber(row[1]) && isNumber(row[2]) && row[3] > 1);
    if (rows.length < 2) return null;
    const error = row => 1.96 * row[2] / Math.sqrt(row[3]);
    const late = rows.slice(Math.min(2, rows.length - 2)); // the first few would hide the others
    const y = scale("linear", padded(Math.min(...late.map(row => row[1] - error(row))), Math.max(...late.map(row => row[1] + error(row)))), [TALL - 24, 6]);
    const x = scale("log", [rows[0][0], rows[rows.length - 1][0]], [58, WIDE - 6]);
    const at = (row, value) => `${x(row[0]).toFixed(2)} ${y.clamped(value).toFixed(2)}`;
    return panel([...titled(column), make("span", {}, ` ${figure(rows[rows.length - 1][1])} ± ${figure(error(rows[rows.length - 1]))}`)],
        canvas(WIDE, TALL, `Mean of ${column.name} against the number of runs`, beside(y, 58, WIDE - 6), counts(x, TALL - 24),
            draw("path", { class: "band b2", d: `M${rows.map(row => at(row, row[1] - error(row))).join("L")}L${[...rows].reverse().map(row => at(row, row[1] + error(row))).join("L")}Z` }),
            draw("path", { class: "mean", d: `M${rows.map(row => at(row, row[1])).join("L")}` })));
}

/** A logarithmic axis of whole numbers. */
function counts(x, y0) {
    const ticks = [];
    for (let power = 1; power <= x.domain[1]; power *= 10) for (const digit of [1, 2, 5]) {
        const value = digit * power;
        if (value >= x.domain[0] && value <= x.domain[1]) ticks.push({ value, named: digit === 1 || x.domain[1] / x.domain[0] < 60 });
    }
    return draw("g", {}, draw("line", { class: "axis", x1: x.range[0], x2: x.range[1], y1: y0, y2: y0 }),
        ticks.map(tick => [draw("line", { class: "axis", x1: x(tick.value), x2: x(tick.value), y1: y0, y2: y0 + 4 }),
            tick.named ? draw("text", { x: x(tick.value), y: y0 + 18, "text-anchor": "middle" }, whole(tick.value)) : null]));
}
