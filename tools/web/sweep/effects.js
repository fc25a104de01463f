// Sensitivity: what each parameter does to each output, by the estimator that fits the design.

const ROW = 24; // height of a parameter

const METHODS = {
    sobol: {
        lead: "Shares of the variance of each output, by Saltelli's estimator: filled, what a parameter does by itself (first order); outlined, with everything it does together with others (total). Lines are 1.96 standard errors.",
        heads: ["first order", "± ", "total", "± "],
        cells: p => [p.first, 1.96 * p.first_error, p.total, 1.96 * p.total_error],
    },
    morris: {
        lead: "Elementary effects by Morris: the change of an output when one parameter goes through its range. Bars: the mean size of the effect, μ*. Lines: its deviation σ over the trajectories, large where a parameter acts in a curve or together with others.",
        heads: ["μ*", "μ", "σ"],
        cells: p => [p.mu_star, p.mu, p.sigma],
    },
    rank: {
        lead: "Spearman's rank correlation of each output with each parameter: ±1 where one only rises or falls with the other, 0 also where it rises and falls. Shares of the variance need a design: --design sobol, or morris.",
        heads: ["rank correlation"],
        cells: p => [p.rank],
    },
};

/** What a bar shows: [from 0 to, or null; second one; whisker from, to] */
function barOf(method, p) {
    if (method === "sobol") return { value: p.first, outline: p.total, low: p.first - 1.96 * p.first_error, high: p.first + 1.96 * p.first_error };
    if (method === "morris") return { value: p.mu_star, low: Math.max(0, p.mu_star - p.sigma), high: p.mu_star + p.sigma };
    return { value: p.rank };
}

function effectDomain(method, bars) {
    if (method === "rank") return [-1, 1];
    const values = bars.flatMap(bar => [bar.value, bar.outline, bar.high, bar.low]).filter(isNumber);
    return [Math.min(0, ...values), Math.max(method === "sobol" ? 1 : 1e-300, ...values)];
}

function effectPanel(data, output, effect) {
    const method = data.sensitivity, parameters = data.varied;
    const bars = effect.parameters.map(p => barOf(method, p)), longest = Math.max(...parameters.map(p => p.name.length));
    const left = Math.min(130, 16 + 7 * longest), height = ROW * bars.length + 26;
    const x = scale("linear", effectDomain(method, bars), [left, WIDE - 8]);
    const rows = bars.map((bar, i) => {
        const y = i * ROW + 4, name = parameters[i].name;
        const box = (value, kind, grow) => draw("rect", { class: `bar ${kind}`, x: Math.min(x(0), x(value)).toFixed(2), y: y + 3 - grow, width: Math.abs(x(value) - x(0)).toFixed(2), height: ROW - 9 + 2 * grow });
        return draw("g", {}, draw("text", { class: "name", x: left - 8, y: y + 14, "text-anchor": "end" }, name.length > 17 ? `${name.slice(0, 16)}…` : name),
            isNumber(bar.value) ? box(bar.value, bar.value < 0 ? "minus" : "first", 0) : draw("text", { x: left + 4, y: y + 14 }, "does not vary"),
            isNumber(bar.outline) ? box(bar.outline, "total", 1.5) : null,
            isNumber(bar.low) && isNumber(bar.value) ? draw("path", { class: "whisker", d: `M${x(bar.low).toFixed(2)} ${y + ROW / 2 - 1.5}H${x(bar.high).toFixed(2)}` }) : null);
    });
    return panel(titled(output), canvas(WIDE, height, `Sensitivity of ${output.name}`, draw("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height - 24 }), rows, below(x, height - 24)));
}

function drawEffects(data) {
    const method = METHODS[data.sensitivity];
    byId("effects-section").hidden = data.varied.length === 0 || data.effects.length === 0;
    byId("effects-lead").textContent = method.lead;
    byId("effects").replaceChildren(...data.outputs.map((output, i) => effectPanel(data, output, data.effects[i])));
    byId("effects-table").replaceChildren(
        make("thead", {}, make("tr", {}, [["Output", "left plain"], ["Parameter", "left plain"]].map(([text, kind]) => make("th", { class: kind, scope: "col" }, text)),
            method.heads.map(text => make("th", { class: "plain", scope: "col" }, text)))),
        make("tbody", {}, data.outputs.flatMap((output, i) => data.effects[i].parameters.map((p, k) => make("tr", {},
            make("th", { class: "wrap", scope: "row" }, k === 0 ? output.name : ""), make("td", { class: "left" }, data.varied[k].name),
            method.cells(p).map(value => make("td", {}, data.sensitivity === "morris" ? figure(value) : share(value))))))));
}

/** Three digits behind the point: shares and correlations. */
function share(x) {
    return isNumber(x) ? x.toFixed(3).replace("-", "−") : "–";
}

/** Lines of the indices against the number of rows: [rows, one number for each parameter, ...]. */
function effectConvergence(data, output, effect) {
    const rows = (effect.convergence || []).filter(row => row.slice(1).every(isNumber)), k = data.varied.length;
    if (rows.length < 2) return null;
    const late = rows.slice(Math.min(4, rows.length - 2)).flatMap(row => row.slice(1));
    const y = scale("linear", padded(Math.min(0, ...late), Math.max(...late)), [TALL - 24, 6]);
    const x = scale("log", [rows[0][0], rows[rows.length - 1][0]], [44, WIDE - 44]);
    const lines = [];
    for (let c = 1; c < rows[0].length; c++) {
        const total = c > k, end = rows[rows.length - 1][c];
        lines.push(draw("path", { class: `curve k${(c - 1) % k % COLOURS_OF_LINES}`, "stroke-dasharray": total ? "5 3" : null, d: `M${rows.map(row => `${x(row[0]).toFixed(2)} ${y.clamped(row[c]).toFixed(2)}`).join("L")}` }));
        if (!total) lines.push(draw("text", { x: WIDE - 40, y: y.clamped(end) + 4 }, data.varied[c - 1].name.slice(0, 6)));
    }
    return panel([...titled(output), make("span", {}, data.sensitivity === "morris" ? " μ*" : " shares; dashed: total")],
        canvas(WIDE, TALL, `Sensitivity of ${output.name} against the number of rows`, beside(y, 44, WIDE - 44), counts(x, TALL - 24), lines));
}

const COLOURS_OF_LINES = 8;
