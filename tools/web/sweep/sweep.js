// The page of trammel sweep --report: everything on it comes from the JSON in the element "data".

function drawHead(data) {
    const done = data.states[0].runs, facts = [data.table, plural(data.runs, "run"), done < data.runs ? `${whole(data.runs - done)} failed` : "all done"];
    if (isNumber(data.end) && data.end > 0) facts.push(`to t = ${shortest(data.end)} s`);
    if (data.rows > 0) facts.push(data.sensitivity === "sobol" ? `${plural(data.rows, "row")} of Saltelli's design` : `${plural(data.rows, "trajectory", "trajectories")} of Morris`);
    document.title = `${data.title || data.table} · Trammel sweep`;
    byId("title").textContent = data.title || "Untitled scene";
    byId("facts").textContent = facts.join("  ·  ");
    const texts = [];
    if (done === 0) texts.push("No run came to its end: there are no statistics.");
    else if (done < data.runs) texts.push(`${whole(data.runs - done)} of ${plural(data.runs, "run")} failed. Everything below is of the others; if what makes runs fail is what is asked about, it is biased.`);
    if (data.recordings_missing > 0) texts.push(`${plural(data.recordings_missing, "recording")} could not be read: the envelopes are without them.`);
    byId("notice").replaceChildren(...texts.map(text => make("p", { class: "notice" }, text)));
}

const HEADS = ["runs", "mean", "deviation", "least", "5 %", "25 %", "median", "75 %", "95 %", "largest"];

function drawNumbers(data) {
    const independent = data.sensitivity === "sobol" ? ` Of Saltelli's design, the ${whole(2 * data.rows)} runs that are drawn independently.` : data.sensitivity === "morris" ? " Of a Morris design these are numbers of its grid, not of the laws of the parameters." : "";
    byId("numbers-lead").textContent = `Mean, standard deviation and quantiles over the runs that are done.${independent}`;
    const row = column => make("tr", {}, make("th", { class: "wrap", scope: "row" }, column.name, column.unit ? make("span", { class: "unit" }, column.unit) : null),
        [whole(column.n), figure(column.mean), figure(column.deviation), ...[0, 1, 2, 3, 4, 5, 6].map(k => figure(column.quantiles[k]))].map(text => make("td", {}, text)));
    const group = (title, columns) => (columns.length > 0 ? [make("tr", { class: "group" }, make("th", { colspan: HEADS.length + 1, scope: "rowgroup" }, title)), ...columns.map(row)] : []);
    byId("numbers").replaceChildren(
        make("thead", {}, make("tr", {}, make("td", {}), HEADS.map(text => make("th", { class: "plain", scope: "col" }, text)))),
        make("tbody", {}, group("Outputs", data.outputs), group("Varied", data.varied)));
    byId("histograms").replaceChildren(...[...data.outputs, ...data.varied].filter(column => column.n > 0).map(histogram));
}

function drawEnvelopes(data) {
    const panels = data.envelopes.map(envelope).filter(Boolean);
    byId("envelopes-section").hidden = panels.length === 0;
    byId("envelopes-lead").textContent = `At each time, over the runs that last so long: the median, and what lies between 25 and 75 %, 5 and 95 %, the least and the largest. ${data.recordings > 0 ? `From ${plural(data.recordings, "recording")}, straight between their lines.` : "From the outputs at these times."}`;
    byId("envelopes").replaceChildren(...panels);
}

function drawConvergence(data) {
    const panels = data.outputs.flatMap((output, i) => [runningMean(output, data.running[i]), effectConvergence(data, output, data.effects[i])]).filter(Boolean);
    byId("convergence-section").hidden = panels.length === 0;
    byId("convergence-lead").textContent = "What the mean would have been after fewer runs, and 1.96 standard errors of independent runs around it; of a design also its indices, after fewer rows. Where a line still moves, more runs are needed.";
    byId("convergence").replaceChildren(...panels);
}

function drawFailed(data) {
    const failed = data.states.slice(1);
    byId("failed-section").hidden = failed.length === 0;
    byId("failed").replaceChildren(
        make("thead", {}, make("tr", {}, ["status", "runs", "first", "its reason"].map(text => make("th", { class: "left plain", scope: "col" }, text)))),
        make("tbody", {}, failed.map(state => make("tr", {}, make("th", { class: "left", scope: "row" }, state.name), make("td", {}, whole(state.runs)), make("td", {}, whole(state.first)), make("td", { class: "reason" }, state.reason)))));
}

function drawHow(data) {
    const items = [], add = (name, ...content) => items.push(make("dt", {}, name), make("dd", {}, ...content));
    if (data.command.length > 0) add("The command", make("pre", { id: "command" }, data.command.map(quoted).join(" ")));
    add("Quantiles", "With linear interpolation between the sorted values (type 7 of Hyndman and Fan). Bins of the width of Freedman and Diaconis.");
    if (data.sensitivity === "sobol") add("Sobol indices", "Rows A, B and A with one column of B, drawn as a scrambled Halton sequence. First order: mean of (f(B) − m)(f(ABi) − f(A)) over the variance; total: mean of (f(A) − f(ABi))² / 2 over it (Saltelli and others, Computer Physics Communications 181, 2010). Standard errors are those of independent rows; the sequence is more even, so they are too large. Rows with a failed run are left out.");
    if (data.sensitivity === "morris") add("Elementary effects", "Trajectories over a grid of four levels, each step two thirds of the grid (Morris, Technometrics 33, 1991). The range of a normal parameter is √12 of its deviations, that of a uniform one as wide; its levels are the middles of quarters of its probability. Trajectories with a failed run are left out.");
    if (data.sensitivity === "rank") add("Rank correlation", "Spearman's, equal values sharing the mean of their ranks.");
    add("Version", `trammel ${data.version}`);
    byId("how").replaceChildren(...items);
}

function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function start() {
    const data = JSON.parse(byId("data").textContent);
    data.columns.forEach((column, index) => { column.index = index; });
    data.varied = data.columns.filter(column => column.varied);
    data.outputs = data.columns.filter(column => !column.varied);
    data.shown = data.sensitivity === "sobol" ? 2 * data.rows : data.runs;
    drawHead(data);
    drawEffects(data);
    drawNumbers(data);
    drawEnvelopes(data);
    drawScatter(data);
    drawConvergence(data);
    drawFailed(data);
    drawHow(data);
}

start();
