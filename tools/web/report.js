// The page of trammel compare: everything on it comes from the JSON in the element "data", which is
// what --json prints.

const PRINT_WIDTH = 690; // px: the text of an A4 page

function drawHead(model) {
    const data = model.data, facts = [];
    document.title = `${data.title || data.scene || "Scene"} · Trammel compare`;
    byId("title").textContent = data.title || data.scene || "Untitled scene";
    if (data.scene) facts.push(data.scene);
    if (isNumber(data.end)) facts.push(`to t = ${shortest(data.end)} s`);
    facts.push(`${plural(model.finished.length, "run")} finished`);
    if (model.failed.length > 0) facts.push(`${whole(model.failed.length)} did not`);
    if (model.crossings.length > 0) facts.push(`${plural(model.crossings.length, "singular position")} passed`);
    byId("facts").textContent = facts.join("  ·  ");
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
    const t = model.reference.t_agree;
    if (isNumber(t) && isNumber(model.data.end) && t < model.data.end * (1 - 1e-12)) {
        byId("notice").replaceChildren(make("p", { class: "notice" }, `The references part at t = ${Number(t.toPrecision(4))} s: beyond it the motion is chaotic or takes one of several ways. Errors are compared only before it.`));
    }
}

function drawHow(model) {
    const { data, reference } = model, items = [];
    const add = (name, ...content) => items.push(make("dt", {}, name), make("dd", {}, ...content));
    if (data.command) add("The command", make("pre", { id: "command" }, data.command), make("span", { class: "soft" }, "makes this page again; --json prints the numbers that are in it."));
    const agreed = isNumber(reference.agreement) ? ` Two independent computations agree to ${scientific(reference.agreement)}.` : "";
    add("Reference", `${reference.method || "none"}.${agreed}`);
    add("Error", "The largest difference from the reference over the times compared, for positions of the centres of mass (m), angles (rad), velocities (m/s) and rates (rad/s) separately; the figure named error is the largest of the four.");
    add("Drift", "How far the constraints g = 0 and their derivative are from being met, at most, in the units of each constraint: lengths in m, angles in rad.");
    add("Energy error", "The largest error of the energy balance, kinetic + potential - work, over the largest kinetic energy.");
    add("Branch changes", "How often a run came out of a singular position on another motion than it went in on. Neither drift nor energy shows that.");
    add("CPU time", "Of stepping alone, the median of the repeats, which are run in turns. Memory is the peak of the process.");
    add("Pareto front", "The runs that no other run beats in both error and CPU time.");
    const versions = data.versions || data.version;
    if (versions) add("Versions", typeof versions === "object" ? Object.entries(versions).filter(pair => pair[1] !== null).map(([name, version]) => `${name} ${version}`).join(", ") : String(versions));
    byId("how").replaceChildren(...items);
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
        charts();
    };
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
}

start();
