
"use strict";
(async () => {
  const unpack = async id => {
    const element = document.getElementById(id);
    if (!element) return null;
    const bytes = Uint8Array.from(atob(element.textContent.trim()), c => c.charCodeAt(0));
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
