// The comparison as the page sees it: rows with names, looks, and what has been chosen.

const MARKERS = ["circle", "square", "triangle", "diamond", "wedge", "hexagon", "star", "cross"];
const DASHES = ["", "7 3", "2 2.5", "10 3 2 3", "1 2"];
const COLOURS = 8;

/** The parts of the data that are used, each of the type it must have. */
function readModel(data) {
    const list = x => (Array.isArray(x) ? x : []);
    const model = {
        data,
        rows: list(data.rows).filter(row => row !== null && typeof row === "object").map(readRow),
        advice: list(data.recommendations).filter(item => item !== null && typeof item === "object"),
        warnings: list(data.warnings).filter(item => item !== null && typeof item === "object"),
        crossings: list(data.passages || data.crossings).map(item => (isNumber(item) ? { t: item } : item)).filter(item => item !== null && isNumber(item.t)),
        reference: data.reference || {},
        slots: [], // the chosen rows, by letter; holes where one was put back
    };
    const views = data.views || {};
    model.viewFile = typeof views.file === "string" ? views.file : "";
    list(views.rows).forEach((id, i) => model.rows.filter(row => row.id === id).forEach(row => { row.view = `${encodeURIComponent(model.viewFile)}#run=${i}`; }));
    dress(model.rows);
    model.finished = model.rows.filter(row => row.finished);
    model.failed = model.rows.filter(row => !row.finished);
    for (const item of model.advice) {
        item.chosen = model.rows.find(row => row.id === item.row) || null;
        if (item.chosen !== null) item.chosen.advised.push(item.accuracy);
    }
    for (const row of new Set(model.advice.map(item => item.chosen))) {
        if (row !== null && row.hasSeries) model.slots.push(row);
    }
    return model;
}

function readRow(row, index) {
    const series = row.series || {};
    const times = Array.isArray(series.t) ? series.t : [];
    return {
        index,
        id: row.id === undefined ? index : row.id,
        data: row,
        method: [row.integrator, row.stabilization].filter(Boolean).join(" + "),
        integrator: String(row.integrator),
        stabilization: String(row.stabilization),
        setting: isNumber(row.step) ? `h = ${shortest(row.step)}` : isNumber(row.rtol) ? `rtol ${shortest(row.rtol)}` : "",
        finished: row.status === "done",
        onFront: row.pareto === true,
        resolved: row.resolved !== false, // the reference is good enough to tell its error
        advised: [],
        series,
        times,
        hasSeries: times.length > 1,
    };
}

/** Colour (and dash, when there are many) by stabilization, marker by integrator. */
function dress(rows) {
    const stabilizations = [...new Set(rows.map(row => row.stabilization))];
    const integrators = [...new Set(rows.map(row => row.integrator))];
    for (const row of rows) {
        const s = stabilizations.indexOf(row.stabilization);
        row.colour = s % COLOURS;
        row.dash = Math.floor(s / COLOURS) % DASHES.length;
        row.marker = MARKERS[integrators.indexOf(row.integrator) % MARKERS.length];
    }
}

/** Rows of one pair, in the order of the data -> Map of method to rows. */
function byMethod(rows) {
    const groups = new Map();
    for (const row of rows) {
        if (!groups.has(row.method)) groups.set(row.method, []);
        groups.get(row.method).push(row);
    }
    return groups;
}

function slotOf(model, row) {
    return model.slots.indexOf(row);
}

/** A, B, ... Z, A1, ... */
function letter(slot) {
    return slot < 0 ? "" : String.fromCharCode(65 + slot % 26) + (slot < 26 ? "" : Math.floor(slot / 26));
}

/** Chosen rows keep their letters; the next one takes the first that is free. */
function toggle(model, row) {
    const slot = slotOf(model, row);
    if (slot >= 0) {
        model.slots[slot] = null;
        return;
    }
    const free = model.slots.findIndex(other => other === null);
    model.slots[free < 0 ? model.slots.length : free] = row;
}

function chosenRows(model) {
    return model.slots.filter(row => row !== null);
}
