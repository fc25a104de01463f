// The page of trammel compare: everything on it comes from the JSON in the element "data", which is
// what --json prints.

const FEW_WARNINGS = 4; // more of them are folded away
const PRINT_WIDTH = 690; // px: the text of an A4 page

function drawHead(model) {
    const data = model.data, facts = [];
    document.title = `${data.title || data.scene || "Scene"} · Trammel compare`;
    byId("title").textContent = data.title || data.scene || "Untitled scene";
    if (data.scene) facts.push(data.scene);
    if (isNumber(data.end)) facts.push(`to t = ${shortest(data.end)} s`);
    facts.push(`${plural(model.finished.length, "run")} finished`);
    if (model.failed.length > 0) facts.push(`${whole(model.failed.length)} failed or were left out`);
    if (model.crossings.length > 0) facts.push(`${plural(model.crossings.length, "singular position")} passed`);
    byId("facts").textContent = facts.join("  ·  ");
    byId("verdict").textContent = referenceText(model.reference);
    if (model.viewFile !== "") {
        byId("verdict").append(" ", make("a", { href: encodeURIComponent(model.viewFile) }, "See the recommended runs and those that went wrong moving, over each other."));
    }
    byId("work-note").textContent = byMethod(model.finished).size > MOST_AT_FIRST
        ? "Shown at first: of each stabilization its best integrator; the table at the side shows and hides lines." : "";
    if (typeof data.picture === "string" && data.picture !== "") {
        const picture = byId("picture");
        picture.append(make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(data.picture)}`, alt: "The mechanism and its motion" }));
        picture.addEventListener("click", () => picture.setAttribute("aria-pressed", String(byId("head").classList.toggle("large"))));
    } else {
        byId("picture").hidden = true;
    }
}

function drawAdvice(model) {
    byId("advice").replaceChildren(...model.advice.map(item => {
        const row = item.chosen;
        return make("div", { class: "advice" },
            make("p", { class: "goal" }, "error below ", make("b", {}, shortest(item.accuracy))),
            row === null ? make("p", { class: "pick none" }, "no run reaches it") : make("p", { class: "pick" }, row.method, " ", make("span", { class: "setting" }, row.setting)),
            make("p", { class: "cost" }, row === null ? "" : duration(row.data.cpu_s)),
            item.sentence ? make("p", { class: "sentence" }, item.sentence) : null);
    }));
    if (model.advice.length === 0) {
        byId("advice").replaceChildren(make("p", { class: "empty" }, model.finished.length === 0 ? "No run finished, so there is nothing to recommend." : "No run can be recommended: nothing could be measured against a reference."));
    }
    byId("notice").replaceChildren(...notices(model).map(text => make("p", { class: "notice" }, text)));
    if (model.warnings.length > 0) {
        byId("warnings").replaceChildren(make("details", { open: model.warnings.length <= FEW_WARNINGS },
            make("summary", {}, make("b", {}, "What went wrong, by method:"), ` ${model.warnings.map(warning => warning.stabilization).join(", ")}`),
            make("ul", {}, model.warnings.map(drawWarning))));
    }
}

/** What errors are measured from, in one sentence. */
function referenceText(reference) {
    if (!reference.method) return "";
    if (!reference.partner) return `Errors are measured from ${reference.method}, taken as exact.`;
    const agreed = isNumber(reference.agreement) ? `, which agree to ${scientific(reference.agreement)} of the motion` : "";
    return `Errors are measured from ${reference.method}, beside ${reference.partner}${agreed}.`;
}

/** What a reader must know before any figure. */
function notices({ data, reference, advice }) {
    const texts = [], t = reference.t_agree;
    if (data.problem && data.problem.message) texts.push([data.problem.where, data.problem.message].filter(Boolean).join(": "));
    if (data.status === "interrupted") texts.push("The comparison was interrupted: what follows is from the runs that had finished.");
    if (isNumber(t) && isNumber(data.end) && t < data.end * (1 - 1e-12)) {
        const pair = `The reference: ${reference.method}, beside ${reference.partner || "itself"}. `;
        texts.push(`Compared up to t = ${Number(t.toPrecision(4))} s only. ${reference.verdict ? pair + reference.verdict : "Beyond it the references part."}`);
    }
    if (data.left_out > 0 && advice.length > 0) texts.push(`${plural(data.left_out, "setting")} of the usual plan would have taken too long and ${data.left_out === 1 ? "was" : "were"} left out.`);
    return texts;
}

/** "baumgarte: of 5 rows ...": the name stands out. */
function drawWarning(warning) {
    const sentence = String(warning.sentence || ""), name = String(warning.stabilization || "");
    return sentence.startsWith(name) ? make("li", {}, make("b", {}, name), sentence.slice(name.length)) : make("li", {}, sentence);
}

function drawHow(model) {
    const { data, reference } = model, items = [];
    const add = (name, ...content) => items.push(make("dt", {}, name), make("dd", {}, ...content));
    if (data.command) add("The command", make("pre", { id: "command" }, data.command), make("span", { class: "soft" }, "makes this page again; --json prints the numbers that are in it."));
    const vague = model.finished.some(row => !row.resolved) ? " Errors set slanted in the table are less than two digits above that, or below it: they say how close the run is to the reference, not more." : "";
    add("Reference", `${referenceText(reference) || "There is none."}${vague}`);
    add("Error", `The largest difference from the reference, over all bodies and the times compared: positions of the centres of mass (m), angles (rad), velocities (m/s), rates (rad/s). The figure named error is the largest of the four, each over the size of the motion${scaleText(reference.scale)}.`);
    add("Drift", "How far the constraints g = 0 and their derivative are from being met, at most: lengths in m, angles in rad, and per second.");
    add("Energy error", "The largest error of the energy balance, kinetic + potential - work, over the exchanged energy: the largest of kinetic energy, change of potential energy and work.");
    add("Branch changes", "How often a run came out of a singular position on another motion than it went in on. Neither drift nor energy shows that.");
    const noise = data.timing && isNumber(data.timing.noise) ? ` Times that differ by less than ${Math.round(100 * data.timing.noise)} % are the same.` : "";
    add("CPU time", `Of stepping alone${isNumber(reference.t_agree) ? " up to the last time compared" : ""}, each run alone on its core, the runs in turns; the median of its repeats. Runs with 0 repeats were timed once, while others ran beside them.${noise} Memory is the peak of the run's process.`);
    add("Pareto front", "The runs that no other run beats in both error and CPU time. Runs that ended on another motion are never on it.");
    const versions = data.versions || (data.version ? { trammel: data.version } : null);
    if (versions) add("Versions", typeof versions === "object" ? Object.entries(versions).filter(pair => pair[1] !== null).map(([name, version]) => `${name} ${version}`).join(", ") : String(versions));
    byId("how").replaceChildren(...items);
}

/** "(0.31 m, 1 rad, 2.4 m/s, 5.1 rad/s)" */
function scaleText(size) {
    const parts = [["position", "m"], ["angle", "rad"], ["velocity", "m/s"], ["rate", "rad/s"]]
        .filter(([key]) => size && isNumber(size[key]) && size[key] > 0)
        .map(([key, unit]) => `${Number(size[key].toPrecision(3))} ${unit}`);
    return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function start() {
    const page = { model: readModel(JSON.parse(byId("data").textContent)), hidden: new Set(), points: [], near: null, printing: 0 };
    const { model } = page;
    page.choose = row => {
        if (!row.hasSeries) return;
        toggle(model, row);
        markPick(page, row);
        for (const point of page.points) if (point.row === row) markPoint(page, point);
        drawHistory(page);
    };
    drawHead(model);
    drawAdvice(model);
    drawHow(model);
    drawTable(page);
    drawFailed(page);
    for (const row of model.rows) markPick(page, row);
    const charts = () => {
        hideTip();
        drawWork(page);
        drawHistory(page);
        drawStudy(page);
    };
    byId("work-section").hidden = model.rows.length === 0;
    byId("history-section").hidden = !model.rows.some(row => row.hasSeries);
    drawLegend(page);
    charts();
    let width = byId("page").clientWidth;
    new ResizeObserver(() => {
        if (page.printing || byId("page").clientWidth === width) return;
        width = byId("page").clientWidth;
        charts();
    }).observe(byId("page"));
    const print = on => {
        page.printing = on ? PRINT_WIDTH : 0;
        if (on) for (const folded of document.querySelectorAll("details")) folded.open = true;
        charts();
    };
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
}

start();
