// Arithmetic of curves [t, y], and what leaves the page: CSV, SVG, PNG.
const KINDS_OF_CURVES = {
  curve: { label: "as recorded", unit: u => u, of: table => table },
  derivative: { label: "derivative", unit: u => `${u || "1"}/s`, of: ([t, y]) => [t, new Clock(t).slopes(y)] },
  integral: { label: "integral", unit: u => `${u || "1"} s`, of: ([t, y]) => [t, integral(t, y)] },
  spectrum: { label: "spectrum", unit: u => u, of: ([t, y]) => spectrum(t, y), axis: "Hz" },
};

// Of the cubic between the lines that are kept, by Simpson's rule.
function integral(t, y) {
  const clock = new Clock(t);
  let sum = 0;
  return Array.from(y, (v, i) => sum += i > 0 ? (t[i] - t[i - 1]) / 6 * (y[i - 1] + 4 * clock.seek((t[i] + t[i - 1]) / 2).of(y) + v) : 0);
}

// y at time t, between its neighbours.
function valueAt([t, y], at) {
  const i = new Clock(t).index(at), next = Math.min(i + 1, t.length - 1);
  if (y[i] === null || y[next] === null) return null;
  const u = next > i ? Math.min(Math.max((at - t[i]) / (t[next] - t[i]), 0), 1) : 0;
  return y[i] + u * (y[next] - y[i]);
}

// Amplitudes over Hz of the curve less its mean, by Hann's window: a sine of amplitude 1 has a peak of 1.
function spectrum(t, y) {
  let n = 16;
  while (n < t.length && n < 8192) n *= 2;
  const length = t[t.length - 1] - t[0], clock = new Clock(t);
  const x = Array.from({ length: n }, (_, i) => clock.seek(t[0] + length * i / n).of(y)), mean = x.reduce((a, b) => a + b, 0) / n;
  const re = x.map((v, i) => (v - mean) * (1 - Math.cos(2 * Math.PI * i / n)) / 2), im = re.map(() => 0);
  fourier(re, im);
  const half = Array.from({ length: n / 2 }, (_, k) => k);
  return [half.map(k => k / length), half.map(k => 4 / n * Math.hypot(re[k], im[k]))];
}

// In place, n a power of two (Cooley and Tukey).
function fourier(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) { [re[i], re[j]] = [re[j], re[i]]; [im[i], im[j]] = [im[j], im[i]]; }
  }
  for (let size = 2; size <= n; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const c = Math.cos(2 * Math.PI * k / size), s = -Math.sin(2 * Math.PI * k / size);
      for (let a = k; a < n; a += size) {
        const b = a + size / 2, x = c * re[b] - s * im[b], y = c * im[b] + s * re[b];
        re[b] = re[a] - x; im[b] = im[a] - y;
        re[a] += x; im[a] += y;
      }
    }
  }
}

// What is in a panel, a column for each curve: its own abscissa where it differs from the first.
function csvOf(panel) {
  const tables = panel.series.map(s => s.table), rows = Math.max(...tables.map(table => table[0].length)), quoted = text => /[",]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  const shared = k => k > 0 && tables[k][0] === tables[0][0], cells = (k, pair) => shared(k) ? [pair[1]] : pair;
  const head = panel.series.flatMap((s, k) => cells(k, [panel.abscissa, `${s.label}${panel.unit ? `[${panel.unit}]` : ""}`])).map(quoted);
  const lines = Array.from({ length: rows }, (_, i) => tables.flatMap((table, k) => cells(k, [table[0][i] ?? "", table[1][i] ?? ""])).join());
  return [head.join(), ...lines, ""].join("\n");
}

// The panel as lines of its own, with the ranges that are shown.
function svgOf(panel, theme) {
  const w = 720, h = 320, left = 76, top = 40, { plot } = panel, x = plot.scales.x, y = plot.scales.y, log = y.distr === 3, of = v => log ? Math.log10(v) : v;
  const px = v => left + (w - left - 20) * (v - x.min) / (x.max - x.min), py = v => h - 40 - (h - 40 - top) * (of(v) - of(y.min)) / (of(y.max) - of(y.min));
  const escaped = text => text.replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]), out = [];
  const text = (at, words, anchor = "middle") => out.push(`<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}">${escaped(words)}</text>`);
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="sans-serif" font-size="12">`,
    `<rect width="${w}" height="${h}" fill="${theme.paper || "#fff"}"/><g fill="${theme.ink}">`);
  for (let i = 0; i <= 5; i++) {
    const u = x.min + i / 5 * (x.max - x.min), v = log ? 10 ** (of(y.min) + i / 5 * (of(y.max) - of(y.min))) : y.min + i / 5 * (y.max - y.min);
    out.push(`<path d="M${px(u)} ${top}V${h - 40}M${left} ${py(v)}H${w - 20}" stroke="${theme.faint}"/>`);
    text([px(u), h - 24], digits(u, 4));
    text([left - 6, py(v) + 4], digits(v, 4), "end");
  }
  text([(w + left) / 2, h - 6], panel.abscissa);
  let at = left;
  panel.series.forEach(s => {
    const pieces = [];
    let on = false;
    for (let i = 0; i < s.table[0].length; i++) {
      const u = s.table[0][i], v = s.table[1][i];
      if (v === null || u < x.min || u > x.max || (log && !(v > 0))) { on = false; continue; }
      pieces.push(`${on ? "L" : "M"}${px(u).toFixed(2)} ${py(v).toFixed(2)}`);
      on = true;
    }
    out.push(`<path d="${pieces.join("")}" fill="none" stroke="${s.colour}" stroke-width="1.4" stroke-dasharray="${s.dash.join(" ")}"/>`, `<path d="M${at} 20h22" stroke="${s.colour}" stroke-width="3"/>`);
    const label = `${s.label}${panel.unit ? ` [${panel.unit}]` : ""}`;
    text([at + 28, 24], label, "start");
    at += 48 + 7 * label.length;
  });
  return [...out, "</g></svg>", ""].join("\n");
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The SVG, drawn twice as fine.
function savePng(name, svg) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.onload = () => {
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => save(name, "image/png", blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
