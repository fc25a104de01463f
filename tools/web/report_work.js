// The work-precision diagram and its legend.

const WORST_SHOWN = 1; // log10: errors above 10 are drawn at the upper edge
const MOST_AT_FIRST = 12; // lines; of more, only the best of each stabilization and those on the front are shown at first

function drawWork(page) {
    const place = byId("work");
    const rows = page.model.finished.filter(row => isNumber(row.data.error) && isNumber(row.data.cpu_s) && row.data.cpu_s > 0);
    if (rows.length === 0) {
        place.replaceChildren(make("p", { class: "empty" }, "No run finished with an error that could be measured; the reasons are below."));
        byId("legend").replaceChildren();
        return;
    }
    const width = page.printing || place.clientWidth, height = page.printing ? 440 : Math.round(Math.min(Math.max(0.76 * width, 340), 580));
    const box = { left: 58, right: width - 16, top: 30, bottom: height - 48 };
    const x = scale("log", logDomain(rows.map(row => row.data.cpu_s)), [box.left, box.right]);
    const y = scale("log", logDomain(rows.map(row => row.data.error), WORST_SHOWN), [box.bottom, box.top]);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Error against CPU time, one line per method" },
        agreementBand(page, x, y),
        leftAxis(y, x.range), durationAxis(x, y.range),
        draw("text", { class: "name", x: 0, y: 14 }, "Error, relative to the motion"),
        draw("text", { class: "name", x: box.right, y: height - 6, "text-anchor": "end" }, "CPU time"),
        frontLine(rows, x, y));
    const points = [];
    for (const [method, members] of byMethod(rows)) {
        svg.append(methodLine(page, method, members, x, y, points));
    }
    place.replaceChildren(svg);
    page.points = points;
    const first = points.find(point => point.row.onFront) || points[0];
    first.element.setAttribute("tabindex", "0");
    listenWork(page, svg);
    applyHidden(page);
}

/** Below what the two references agree to, an error says nothing. */
function agreementBand(page, x, y) {
    const limit = page.model.reference.agreement;
    if (!isNumber(limit) || limit <= y.domain[0]) return null;
    const top = y.clamped(limit);
    const room = y.range[0] - top > 18;
    return draw("g", {},
        draw("rect", { x: x.range[0], y: top, width: x.range[1] - x.range[0], height: y.range[0] - top, fill: "var(--faint)", opacity: 0.7 }),
        room ? draw("text", { x: x.range[1] - 6, y: y.range[0] - 7, "text-anchor": "end" }, "below what the references agree to") : null);
}

/** Through the runs that no other one beats in both. */
function frontLine(rows, x, y) {
    const front = rows.filter(row => row.onFront).sort((a, b) => a.data.cpu_s - b.data.cpu_s);
    if (front.length === 0) return null;
    const corners = front.map(row => `${x(row.data.cpu_s).toFixed(1)} ${y.clamped(row.data.error).toFixed(1)}`);
    if (corners.length === 1) corners.push(corners[0]);
    return draw("path", { class: "front", id: "front", d: `M${corners.join("L")}` });
}

function methodLine(page, method, members, x, y, points) {
    const look = members[0];
    const corners = members.map(row => `${x(row.data.cpu_s).toFixed(1)} ${y.clamped(row.data.error).toFixed(1)}`);
    const line = draw("g", { class: "line", "data-method": method },
        draw("path", { class: `curve k${look.colour}`, d: `M${corners.join("L")}`, "stroke-dasharray": DASHES[look.dash] || null }));
    for (const row of members) {
        const px = x(row.data.cpu_s), py = y.clamped(row.data.error);
        const element = draw("g", { class: `point k${row.colour}`, "data-row": row.index, tabindex: -1, role: "button", transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})` },
            draw("circle", { class: "ring", r: 9 }), draw("circle", { class: "halo", r: 12 }),
            draw("path", { d: markerPath(row.marker, 4.2) }),
            draw("text", { x: 12, y: -7 }));
        element.classList.toggle("on-front", row.onFront);
        element.setAttribute("aria-label", `${row.method}, ${row.setting}: error ${scientific(row.data.error)}, ${duration(row.data.cpu_s)}`);
        points.push({ row, element, x: px, y: py });
        line.append(element);
        markPoint(page, { row, element });
    }
    return line;
}

function markPoint(page, point) {
    const slot = slotOf(page.model, point.row);
    point.element.classList.toggle("chosen", slot >= 0);
    point.element.setAttribute("aria-pressed", String(slot >= 0));
    point.element.querySelector("text").textContent = letter(slot);
}

function figuresOf(row) {
    const d = row.data, pairs = [["Error", scientific(d.error)], ["Error of forces", scientific(d.force_error)], ["CPU time", duration(d.cpu_s)]];
    if (isNumber(d.cpu_min_s) && isNumber(d.cpu_max_s) && d.repeats > 1) pairs.push([`of ${d.repeats} runs`, `${duration(d.cpu_min_s)} to ${duration(d.cpu_max_s)}`]);
    pairs.push(["Position drift", scientific(d.position_drift)], ["Velocity drift", scientific(d.velocity_drift)],
        ["Energy error", scientific(d.energy_error)], ["Steps", whole(d.steps)]);
    if (d.rejected > 0) pairs.push(["rejected", whole(d.rejected)]);
    pairs.push(["Branch changes", whole(d.branch_changes)]);
    return pairs;
}

function showPoint(page, svg, point) {
    page.near?.element.classList.remove("near");
    page.near = point;
    svg.classList.toggle("dim", point !== null);
    for (const line of svg.querySelectorAll(".line")) line.classList.toggle("lit", point !== null && line.contains(point.element));
    if (point === null) {
        hideTip();
        return;
    }
    point.element.classList.add("near");
    const box = svg.getBoundingClientRect();
    showTip(`${point.row.method}, ${point.row.setting}`, figuresOf(point.row),
        box.left + window.scrollX + point.x, box.top + window.scrollY + point.y);
}

function nearest(page, x, y, reach) {
    let best = null, least = reach;
    for (const point of page.points) {
        const distance = Math.hypot(point.x - x, point.y - y);
        if (distance < least && !page.hidden.has(point.row.method)) {
            best = point;
            least = distance;
        }
    }
    return best;
}

function listenWork(page, svg) {
    const under = event => {
        const box = svg.getBoundingClientRect();
        return nearest(page, event.clientX - box.left, event.clientY - box.top, 28);
    };
    const ofFocus = event => page.points.find(point => point.element === event.target) || null;
    svg.addEventListener("pointermove", event => showPoint(page, svg, under(event)));
    svg.addEventListener("pointerleave", () => showPoint(page, svg, null));
    svg.addEventListener("click", event => {
        const point = under(event);
        if (point !== null) page.choose(point.row);
    });
    svg.addEventListener("focusin", event => showPoint(page, svg, ofFocus(event)));
    svg.addEventListener("focusout", () => showPoint(page, svg, null));
    svg.addEventListener("keydown", event => {
        const point = ofFocus(event);
        if (point === null) return;
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (event.key === "Enter" || event.key === " ") page.choose(point.row);
        else if (event.key === "Escape") showPoint(page, svg, null);
        else if (step) focusNext(page, point, step);
        else return;
        event.preventDefault();
    });
}

function focusNext(page, point, step) {
    const shown = page.points.filter(other => !page.hidden.has(other.row.method));
    const next = shown[(shown.indexOf(point) + step + shown.length) % shown.length];
    point.element.setAttribute("tabindex", "-1");
    next.element.setAttribute("tabindex", "0");
    next.element.focus();
}

/** Of each stabilization the integrator that reaches most, and that soonest. */
function bestOfEach(rows) {
    const best = new Map();
    const goals = [1e-9, 1e-6, 1e-4, 1e-2, Infinity];
    const rank = members => {
        const costs = goals.map(goal => Math.min(Infinity, ...members.filter(row => row.data.error <= goal).map(row => row.data.cpu_s)));
        const first = costs.findIndex(Number.isFinite);
        return [first < 0 ? goals.length : first, costs[first]];
    };
    for (const [method, members] of byMethod(rows)) {
        const [goal, cost] = rank(members), family = members[0].stabilization, other = best.get(family);
        if (other === undefined || goal < other.goal || (goal === other.goal && cost < other.cost)) best.set(family, { method, goal, cost });
    }
    return new Set([...best.values()].map(item => item.method));
}

/** A table of buttons, one for each line, stabilizations down and integrators across; a name at the
 * side or on top is a button for all of its lines. */
function drawLegend(page) {
    const place = byId("legend"), rows = page.model.finished.filter(row => isNumber(row.data.error));
    if (rows.length === 0) return;
    const lines = byMethod(rows), methods = [...lines.keys()];
    const best = bestOfEach(rows), front = new Set(rows.filter(row => row.onFront).map(row => row.method));
    if (methods.length > MOST_AT_FIRST) page.hidden = new Set(methods.filter(method => !best.has(method) && !front.has(method)));
    const inOrder = key => [...new Set(page.model.rows.map(row => row[key]))].filter(name => rows.some(row => row[key] === name));
    const integrators = inOrder("integrator"), families = inOrder("stabilization");
    const of = wanted => methods.filter(method => wanted(lines.get(method)[0]));
    place.replaceChildren(
        methods.length > 1 ? make("div", { class: "tools" },
            legendTool(page, methods, "All", () => true), legendTool(page, methods, "None", () => false),
            legendTool(page, methods, "Best of each", method => best.has(method)), legendTool(page, methods, "On the front", method => front.has(method))) : "",
        make("table", {},
            make("thead", {}, make("tr", {}, make("td", {}), integrators.map(name =>
                make("th", { scope: "col" }, legendButton(page, name, of(row => row.integrator === name), make("span", {}, name)))))),
            make("tbody", {}, families.map(family => make("tr", {},
                make("th", { scope: "row" }, legendButton(page, family, of(row => row.stabilization === family), family)),
                integrators.map(name => make("td", {}, of(row => row.stabilization === family && row.integrator === name).map(method =>
                    legendLine(page, method, lines.get(method)[0])))))))));
    applyHidden(page);
}

function legendTool(page, methods, text, wanted) {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => {
        page.hidden = new Set(methods.filter(method => !wanted(method)));
        applyHidden(page);
    });
    return button;
}

/** Shows the lines, or hides them when all are shown. */
function legendButton(page, name, methods, ...content) {
    const button = make("button", { type: "button", "data-methods": JSON.stringify(methods), title: name }, ...content);
    button.addEventListener("click", () => {
        const hide = methods.every(method => !page.hidden.has(method));
        for (const method of methods) page.hidden[hide ? "add" : "delete"](method);
        applyHidden(page);
    });
    const light = on => byId("work").querySelectorAll(".line").forEach(line => {
        const lit = on && methods.includes(line.getAttribute("data-method"));
        line.classList.toggle("lit", lit);
        line.parentNode.classList.toggle("dim", on && methods.some(method => !page.hidden.has(method)));
    });
    for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) {
        button.addEventListener(event, () => light(on));
    }
    return button;
}

function legendLine(page, method, row) {
    const button = legendButton(page, method, [method], swatch(row, true, DASHES[row.dash]));
    button.setAttribute("aria-label", method);
    return button;
}

function applyHidden(page) {
    for (const line of byId("work").querySelectorAll(".line")) {
        line.toggleAttribute("hidden", page.hidden.has(line.getAttribute("data-method")));
    }
    for (const button of byId("legend").querySelectorAll("[data-methods]")) {
        const methods = JSON.parse(button.getAttribute("data-methods"));
        button.setAttribute("aria-pressed", String(methods.some(method => !page.hidden.has(method))));
    }
    const first = page.points.find(point => !page.hidden.has(point.row.method));
    const current = page.points.find(point => point.element.getAttribute("tabindex") === "0");
    if (first && current && page.hidden.has(current.row.method)) {
        current.element.setAttribute("tabindex", "-1");
        first.element.setAttribute("tabindex", "0");
    }
}
