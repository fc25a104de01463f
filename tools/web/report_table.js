// The table of all runs that finished, sorted by its headers, and the list of those that did not.

const COLUMNS = [
    { name: "Method", text: row => row.method, left: true },
    { name: "Step or tolerance", value: row => (isNumber(row.data.step) ? row.data.step : row.data.rtol), text: row => row.setting, left: true },
    { name: "Parameters", text: row => row.data.parameters || "", left: true, more: true },
    { name: "Error", key: "error", as: scientific },
    { name: "Error in position", unit: "m", key: "errors.position", as: scientific, more: true },
    { name: "Error in angle", unit: "rad", key: "errors.angle", as: scientific, more: true },
    { name: "Error in velocity", unit: "m/s", key: "errors.velocity", as: scientific, more: true },
    { name: "Error in rate", unit: "rad/s", key: "errors.rate", as: scientific, more: true },
    { name: "Error of forces", key: "force_error", as: scientific },
    { name: "Position drift", unit: "m, rad", key: "position_drift", as: scientific },
    { name: "Velocity drift", unit: "m/s, rad/s", key: "velocity_drift", as: scientific },
    { name: "Energy error", unit: "relative", key: "energy_error", as: scientific },
    { name: "Branch changes", key: "branch_changes", as: whole, alarm: x => x > 0 },
    { name: "Steps", key: "steps", as: whole },
    { name: "Rejected", key: "rejected", as: whole, more: true },
    { name: "Force calls", key: "evaluations.force", as: whole },
    { name: "Jacobians", key: "evaluations.jacobian", as: whole, more: true },
    { name: "Factorizations", key: "evaluations.factorization", as: whole, more: true },
    { name: "CPU time", unit: "s", key: "cpu_s", as: decimal },
    { name: "Quickest", unit: "s", key: "cpu_min_s", as: decimal, more: true },
    { name: "Slowest", unit: "s", key: "cpu_max_s", as: decimal, more: true },
    { name: "Repeats", key: "repeats", as: whole, more: true },
    { name: "Memory", unit: "kB", key: "peak_memory_kb", as: whole },
];

const reach = (data, path) => path.split(".").reduce((x, key) => (x === null || x === undefined ? null : x[key]), data);

const LONG = 40; // rows: the table gets a frame of its own to scroll in

function columnValue(column, row) {
    if (column.key) return reach(row.data, column.key);
    return column.value ? column.value(row) : column.text(row);
}

function drawTable(page) {
    const table = byId("rows"), model = page.model;
    byId("rows-section").hidden = model.finished.length === 0;
    const columns = COLUMNS.filter(column => !column.key || model.finished.some(row => reach(row.data, column.key) !== undefined && reach(row.data, column.key) !== null));
    const body = make("tbody", {});
    const heads = columns.map(column => headCell(page, column, body));
    table.replaceChildren(
        make("thead", {}, make("tr", {}, make("th", { class: "plain pick-cell", scope: "col", "aria-label": "Drawn over time" }), heads)),
        body);
    const tails = columns.map(column => (column.as ? tailWidth(model.finished.map(row => column.as(columnValue(column, row)))) : 0));
    for (const row of model.finished) {
        row.element = make("tr", { "data-row": row.index, class: row.onFront ? "on-front" : null }, pickCell(page, row),
            columns.map((column, i) => bodyCell(column, row, tails[i])));
        body.append(row.element);
    }
    byId("rows-frame").classList.toggle("long", model.finished.length > LONG);
    byId("filter").addEventListener("input", () => filterRows(model.finished, byId("filter").value));
    byId("more").addEventListener("click", () => {
        const wide = table.classList.toggle("wide");
        byId("more").setAttribute("aria-pressed", String(wide));
    });
}

/** Shows the rows whose method, setting or status holds every word. */
function filterRows(rows, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
        const there = `${row.method} ${row.setting}`.toLowerCase();
        row.element.hidden = !words.every(word => there.includes(word));
        shown += !row.element.hidden;
    }
    byId("filter-count").textContent = words.length > 0 ? `${whole(shown)} of ${whole(rows.length)}` : "";
}

function headCell(page, column, body) {
    const button = make("button", { type: "button" }, column.name, make("span", { class: "arrow", "aria-hidden": "true" }),
        column.unit ? make("span", { class: "unit" }, column.unit) : null);
    const cell = make("th", { scope: "col", "aria-sort": "none", class: [column.left ? "left" : "", column.more ? "more" : ""].join(" ").trim() || null }, button);
    button.addEventListener("click", () => {
        const order = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const other of cell.parentNode.querySelectorAll("[aria-sort]")) {
            other.setAttribute("aria-sort", "none");
            other.querySelector(".arrow").textContent = "";
        }
        cell.setAttribute("aria-sort", order === 1 ? "ascending" : "descending");
        cell.querySelector(".arrow").textContent = order === 1 ? "↑" : "↓";
        body.append(...sorted(page.model.finished, column, order).map(row => row.element));
    });
    return cell;
}

/** What has no value comes last in either order; equals stay as they were. */
function sorted(rows, column, order) {
    const key = row => columnValue(column, row);
    const missing = x => x === null || x === undefined;
    return [...rows].sort((a, b) => {
        const x = key(a), y = key(b);
        if (missing(x) || missing(y)) return missing(x) - missing(y);
        return order * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true })) || a.index - b.index;
    });
}

/** Numbers are set in two parts, so that points and exponents stand in line. */
function split(text) {
    const at = text.search(text.includes("e") ? /e/ : /\.|$/);
    return [text.slice(0, at), text.slice(at)];
}

function tailWidth(texts) {
    return Math.max(0, ...texts.map(text => split(text)[1].length));
}

function bodyCell(column, row, tail) {
    const value = columnValue(column, row);
    const more = column.more ? "more" : "";
    if (!column.as) {
        const name = column.name === "Method";
        const cell = make(name ? "th" : "td", { class: column.more ? "left more" : "left", scope: name ? "row" : null, "data-value": value }, column.text(row));
        if (name && row.view) cell.append(viewLink(row));
        if (name) cell.append(...row.advised.map(accuracy => make("span", { class: "tag", title: "recommended for this accuracy" }, shortest(accuracy))));
        return cell;
    }
    const text = column.as(value), [head, rest] = split(text);
    const cell = make("td", { class: [more, isNumber(value) ? "" : "null", column.alarm && column.alarm(value) ? "alarm" : "", column.key === "error" && !row.resolved ? "vague" : ""].join(" ").trim() || null, title: isNumber(value) ? String(value) : null },
        head);
    if (cell.classList.contains("vague")) cell.title += ", but the reference is not two digits better";
    if (isNumber(value)) {
        cell.setAttribute("data-value", String(value));
        cell.setAttribute("data-key", column.key);
    }
    if (tail > 0 && isNumber(value)) {
        const end = make("span", { class: "tail" }, rest);
        end.style.minWidth = `${tail * 0.56}em`;
        cell.append(end);
    }
    return cell;
}

/** To the run in the page that moves. */
function viewLink(row) {
    return make("a", { class: "view", href: row.view, "aria-label": `See ${row.method}, ${row.setting} moving` }, "moving");
}

function pickCell(page, row) {
    const cell = make("td", { class: "pick-cell" });
    if (row.hasSeries) {
        const box = make("input", { type: "checkbox", "aria-label": `Draw ${row.method}, ${row.setting} over time` });
        box.addEventListener("change", () => page.choose(row));
        cell.append(make("label", {}, box, make("span", { class: `letter k${row.colour}` })));
    }
    row.pick = cell;
    return cell;
}

function markPick(page, row) {
    const box = row.pick && row.pick.querySelector("input"), slot = slotOf(page.model, row);
    if (!box) return;
    box.checked = slot >= 0;
    row.pick.querySelector(".letter").textContent = letter(slot);
}

function drawFailed(page) {
    const rows = page.model.failed;
    byId("failed-section").hidden = rows.length === 0;
    byId("failed").replaceChildren(
        make("thead", {}, make("tr", {}, make("th", { class: "plain pick-cell", scope: "col", "aria-label": "Drawn over time" }),
            ["Method", "Step or tolerance", "At t [s]", "Where", "Reason"].map(name => make("th", { class: "plain", scope: "col" }, name)))),
        make("tbody", {}, rows.map(row => make("tr", { "data-row": row.index }, pickCell(page, row),
            make("th", { scope: "row" }, row.method, row.view ? viewLink(row) : null),
            make("td", {}, row.setting),
            make("td", { class: "number", "data-key": "t_failed", "data-value": isNumber(row.data.t_failed) ? String(row.data.t_failed) : null }, isNumber(row.data.t_failed) ? Number(row.data.t_failed.toPrecision(6)).toString() : "–"),
            make("td", {}, row.data.where || "–"),
            make("td", { class: "reason" }, row.data.reason || row.data.status || "–")))));
}
