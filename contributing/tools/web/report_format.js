// Elements, and numbers as people read them. Text enters the page as text only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a string becomes text. */
function make(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function draw(name, attributes, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === true) element.setAttribute(key, "");
        else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.flat(3).filter(child => child !== null && child !== undefined));
    return element;
}

function byId(id) {
    return document.getElementById(id);
}

const isNumber = x => typeof x === "number" && Number.isFinite(x);

/** 1.23e-6: three digits, as the command line writes them. */
function scientific(x) {
    return !isNumber(x) ? "–" : x === 0 ? "0" : x.toExponential(2);
}

/** 1e-6, 2.5e-3: as short as it can be without loss. */
function shortest(x) {
    if (!isNumber(x)) return "–";
    const plain = String(x), power = x.toExponential();
    return plain.length <= 5 ? plain : power.replace("e+", "e");
}

/** Three digits without an exponent; whole numbers from 1000 on. */
function decimal(x) {
    if (!isNumber(x)) return "–";
    if (x === 0) return "0";
    if (Math.abs(x) < 1e-7 || Math.abs(x) >= 1e9) return x.toExponential(2);
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x))));
    return x.toFixed(Math.min(digits, 9));
}

/** 12 345, with thin spaces. */
function whole(x) {
    return isNumber(x) ? String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u2009") : "–";
}

/** 310 ms, 4.21 s */
function duration(seconds) {
    if (!isNumber(seconds)) return "–";
    for (const [unit, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]]) {
        if (seconds >= unit || unit === 1e-6) return Number((seconds / unit).toPrecision(3)) + "\u00a0" + name;
    }
    return "–";
}

/** 10 to the power of n, for axes */
function powerOfTen(n) {
    return ["10", draw("tspan", { class: "super", dy: -5 }, String(n).replace("-", "−"))];
}

function plural(n, one, many) {
    return `${whole(n)} ${n === 1 ? one : many || one + "s"}`;
}
