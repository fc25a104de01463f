
"use strict";
(async () => {
  const unpack = async id => {
    const element = document.getElementById(id);
    if (!element) return null;
    const text = element.textContent.trim(), digit = {}, out = new Uint8Array(4 * Math.ceil(text.length / 5));
    [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=>:@^_`{|}~"].forEach((c, i) => { digit[c] = i; });
    for (let i = 0; i < text.length; i += 5) {
      let four = 0;
      for (let k = 0; k < 5; k++) four = 85 * four + (digit[text[i + k]] ?? 84);
      for (let k = 0; k < 4; k++) out[4 * i / 5 + k] = four / 2 ** (24 - 8 * k);
    }
    const bytes = out.subarray(0, text.length - Math.ceil(text.length / 5));
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  };
  const run = bytes => {
    if (!bytes) return;
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(bytes);
    document.body.append(script);
  };
  try {
    for (const id of ["packed-plot", "packed-space", "packed-app"]) run(await unpack(id));
    showTrammel(await unpack("data"));
    document.getElementById("loading").remove();
  } catch (problem) {
    const p = document.createElement("p");
    p.className = "notice";
    p.textContent = typeof DecompressionStream === "undefined"
      ? "This browser cannot unpack the page (it has no DecompressionStream); one of 2023 or later can."
      : "The page could not be shown: " + problem;
    (document.getElementById("notes") || document.body).prepend(p);
  }
})();
