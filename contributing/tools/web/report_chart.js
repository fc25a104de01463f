// Axes, ticks and markers of the charts. They are SVG of our own rather than a plotting library's
// canvas: they must print sharply, follow the colours of the page through CSS alone, be read by a
// screen reader, and be built where only the distribution's packages are installed.

/** value -> pixel, and back; domain and range are [from, to]. */
function scale(kind, domain, range) {
    const f = kind === "log" ? Math.log10 : x => x;
    const inverse = kind === "log" ? x => 10 ** x : x => x;
    const [a, b] = domain.map(f), [p, q] = range;
    const at = x => p + (f(x) - a) / (b - a) * (q - p);
    at.clamped = x => at(Math.min(Math.max(x, domain[0]), domain[1]));
    at.back = pixel => inverse(a + (pixel - p) / (q - p) * (b - a));
    at.domain = domain;
    at.range = range;
    return at;
}

/** A little more than the positive values, never more than 18 decades nor less than half of one. */
function logDomain(values, most) {
    const positive = values.filter(x => isNumber(x) && x > 0).map(x => Math.min(Math.max(Math.log10(x), -300), 300));
    if (positive.length === 0) return [1e-1, 1];
    let low = Math.min(...positive), high = Math.max(...positive);
    if (most !== undefined) high = Math.min(high, Math.max(most, low));
    low = Math.max(low, high - 18);
    const room = Math.max(0.06 * (high - low), (0.5 - (high - low)) / 2, 0.08);
    return [10 ** (low - room), 10 ** (high + room)];
}

/** Decades, every second or third of them where they crowd; 2 and 5 where they are few. */
function logTicks([low, high], room) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, room)));
    const labels = [], lines = [];
    for (let n = first - 1; n <= last; n++) {
        for (let digit = 1; digit < 10; digit++) {
            const value = Number(`${digit}e${n}`);
            if (value < low || value > high) continue;
            const few = last < first || (last - first < 2 && room > 5 && (digit === 2 || digit === 5));
            if (digit === 1 && n % every === 0) labels.push({ value, digit, power: n });
            else if (few) labels.push({ value, digit, power: n });
            else if (digit === 1 || (last - first < 3 && every === 1)) lines.push(value);
        }
    }
    return { labels, lines };
}

function linearTicks([low, high], room) {
    const rough = (high - low) / Math.max(2, room);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= rough);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
        ticks.push({ value: k * step, text: (k * step).toFixed(Math.min(digits, 12)) });
    }
    return ticks;
}

/** "10⁻⁶", or "2·10⁻⁶" between decades */
function powerLabel(tick) {
    return tick.digit === 1 ? powerOfTen(tick.power) : [`${tick.digit}·`, ...powerOfTen(tick.power)];
}

/** A logarithmic axis on the left, grid lines across. */
function leftAxis(y, [x0, x1]) {
    const { labels, lines } = logTicks(y.domain, Math.abs(y.range[0] - y.range[1]) / 26);
    return draw("g", {},
        labels.map(tick => draw("line", { class: "grid", x1: x0, x2: x1, y1: y(tick.value), y2: y(tick.value) })),
        lines.map(value => draw("line", { class: "axis", x1: x0, x2: x0 + 4, y1: y(value), y2: y(value) })),
        labels.map(tick => draw("text", { x: x0 - 9, y: y(tick.value) + 4.5, "text-anchor": "end" }, powerLabel(tick))),
        draw("line", { class: "axis", x1: x0, x2: x0, y1: y.range[0], y2: y.range[1] }));
}

/** CPU time below: 1 ms, 10 ms, 1 s. */
function durationAxis(x, [y0, y1]) {
    const { labels, lines } = logTicks(x.domain, (x.range[1] - x.range[0]) / 60);
    return draw("g", {},
        labels.map(tick => draw("line", { class: "grid", x1: x(tick.value), x2: x(tick.value), y1: y0, y2: y1 })),
        lines.map(value => draw("line", { class: "axis", x1: x(value), x2: x(value), y1: y0, y2: y0 - 4 })),
        labels.map(tick => draw("text", { x: x(tick.value), y: y0 + 20, "text-anchor": "middle" }, duration(tick.value))),
        draw("line", { class: "axis", x1: x.range[0], x2: x.range[1], y1: y0, y2: y0 }));
}

function timeAxis(x, y0, named) {
    const ticks = linearTicks(x.domain, (x.range[1] - x.range[0]) / 80);
    return draw("g", {},
        ticks.map(tick => draw("line", { class: "axis", x1: x(tick.value), x2: x(tick.value), y1: y0, y2: y0 - 4 })),
        named ? ticks.map(tick => draw("text", { x: x(tick.value), y: y0 + 20, "text-anchor": "middle" }, tick.text)) : [],
        draw("line", { class: "axis", x1: x.range[0], x2: x.range[1], y1: y0, y2: y0 }));
}

/** Outlines of about the same area around 0, 0. */
function markerPath(name, r) {
    const polygon = (n, radius, turn, inner) => {
        const corners = [];
        for (let i = 0; i < n; i++) {
            const angle = (turn + 360 * i / n) * Math.PI / 180, length = inner && i % 2 ? inner : radius;
            corners.push(`${(length * Math.sin(angle)).toFixed(2)} ${(-length * Math.cos(angle)).toFixed(2)}`);
        }
        return `M${corners.join("L")}Z`;
    };
    switch (name) {
    case "square": return polygon(4, 1.22 * r, 45);
    case "triangle": return polygon(3, 1.4 * r, 0);
    case "diamond": return polygon(4, 1.35 * r, 0);
    case "wedge": return polygon(3, 1.4 * r, 180);
    case "hexagon": return polygon(6, 1.12 * r, 0);
    case "star": return polygon(10, 1.5 * r, 0, 0.7 * r);
    case "cross": return polygon(8, 1.4 * r, 0, 0.55 * r);
    default: return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    }
}

/** Of a row: a piece of its line with, if wished, its marker. */
function swatch(row, withMarker, dash) {
    return draw("svg", { class: `swatch k${row.colour}`, width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" },
        draw("path", { d: "M0 6H30", "stroke-dasharray": dash || null }),
        withMarker ? draw("path", { class: "dot", d: markerPath(row.marker, 3.6), transform: "translate(15 6)" }) : null);
}

/** The little window of figures beside what is pointed at. */
function showTip(title, pairs, pageX, pageY) {
    const tip = byId("tip");
    tip.replaceChildren(make("p", {}, title),
        make("dl", {}, pairs.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
    tip.hidden = false;
    const box = tip.getBoundingClientRect(), width = document.documentElement.clientWidth;
    const left = pageX + 18 + box.width < width - 8 ? pageX + 18 : pageX - 18 - box.width;
    const top = Math.max(window.scrollY + 8, Math.min(pageY - box.height / 2, window.scrollY + window.innerHeight - box.height - 8));
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${top}px`;
}

function hideTip() {
    byId("tip").hidden = true;
}
