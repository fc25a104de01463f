const one = id => document.getElementById(id);
const inputs = JSON.parse(one("data").textContent);
const wish = { pause: 0, reset: 0, down: 0, x: 0, y: 0 };

for (const [i, input] of inputs.entries()) {
  const size = 2 * Math.max(1, Math.abs(input.value));
  const label = document.createElement("label"), slider = document.createElement("input"), number = document.createElement("input");
  Object.assign(slider, { type: "range", min: -size, max: size, step: size / 200, value: input.value, id: "i" + i });
  Object.assign(number, { type: "number", step: "any", value: input.value, ariaLabel: input.name });
  slider.oninput = () => { number.value = wish["i" + i] = slider.value; };
  number.onchange = () => { slider.value = wish["i" + i] = number.value; };
  label.append(input.name, slider, number);
  one("inputs").append(label);
}

one("pause").onclick = () => {
  wish.pause = 1 - wish.pause;
  one("pause").textContent = wish.pause ? "Go on" : "Pause";
};
one("reset").onclick = () => { wish.reset = 1; };

/// The pointer in px of the picture, whatever its size on the screen.
function point(event) {
  const image = one("picture"), box = image.getBoundingClientRect(), scale = image.naturalWidth / box.width;
  Object.assign(wish, { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale });
}

/// In the place of the last one once it is whole: no flicker.
async function draw(svg) {
  const next = new Image(), address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  next.src = address;
  await next.decode();
  const before = one("picture").src;
  one("picture").src = address;
  await one("picture").decode();
  URL.revokeObjectURL(before);
}
one("picture").onpointerdown = event => { point(event); wish.down = 1; event.preventDefault(); };
addEventListener("pointermove", event => { if (wish.down) point(event); });
for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => { wish.down = 0; });

/// One request at a time: what is slow has fewer pictures.
async function show() {
  const asked = performance.now();
  const query = new URLSearchParams(wish);
  wish.reset = 0;
  try {
    const text = await (await fetch("/frame?" + query)).text();
    const [first, outputs, ...svg] = text.split("\n"), [time, pace, ...told] = first.split(" ");
    await draw(svg.join("\n"));
    one("time").textContent = `t = ${Number(time).toFixed(2)} s`;
    one("outputs").textContent = outputs;
    one("pace").textContent = told.join(" ") || (pace < 0.95 ? `slower than real time: ${(100 * pace).toFixed(0)} %` : "");
  } catch {
    one("pace").textContent = "The program has ended.";
  }
  setTimeout(show, Math.max(0, 50 - (performance.now() - asked)));
}
show();
