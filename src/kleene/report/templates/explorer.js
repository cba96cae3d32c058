// Shapes by line, the search for structures by a formula, and the comparison of two.
(function () {
  "use strict";
  const data = document.getElementById("page-data");
  if (!data) return;
  const { html, codePane, parse, evaluate, facts, page } = window.kleene;
  const structures = page.structures || [];
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const plural = (count, word) => count + " " + word + (count === 1 ? "" : "s");

  // Shapes at the lines of the source.
  const host = document.getElementById("explorer");
  let showLine = null, matches = null, shapeRows = new Map();
  if (host && page.lines) {
    const places = new Map(page.lines.map((entry) => [entry.file + "\n" + entry.line, entry]));
    const files = [...new Set(page.lines.map((entry) => entry.file))];
    const panel = html("div", "shown");
    panel.setAttribute("aria-live", "polite");
    const code = codePane(files, new Set(places.keys()), (file, line) => showLine(file, line));
    shapeRows = code.rows;
    for (const [key, entry] of places) {
      const row = code.rows.get(key);
      if (!row) continue;
      row.append(html("span", "c", plural(entry.count, "shape")));
      row.tabIndex = 0;
      row.setAttribute("role", "button");
    }
    const order = page.lines.map((entry) => entry.file + "\n" + entry.line);
    let current = order[0];
    showLine = function (file, line) {
      current = file + "\n" + line;
      const entry = places.get(current);
      code.show(file, line);
      panel.replaceChildren(html("h3", "", "Before line " + line), html("p", "muted", entry.function ? "in " + entry.function : ""));
      const visible = entry.shapes.filter((shape) => !matches || matches.has(shape.structure));
      if (matches) panel.append(html("p", "muted", plural(visible.length, "shape") + " of " + entry.shapes.length + " match the formula."));
      const words = new Map();
      for (const shape of visible) words.set(shape.words, [...(words.get(shape.words) || []), shape]);
      const list = html("ul");
      for (const text of words.keys()) list.append(html("li", "", text));
      panel.append(list);
      const gallery = html("div", "gallery");
      for (const shape of visible) gallery.append(figure(shape));
      panel.append(gallery);
      if (entry.count > entry.shapes.length)
        panel.append(html("p", "note", entry.count - entry.shapes.length + " more are in the JSON output (--invariants --json)."));
      panel.scrollTop = 0;
    };
    code.pane.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        const key = [...code.rows].find(([, row]) => row === event.target);
        if (key && places.has(key[0])) { event.preventDefault(); const e = places.get(key[0]); showLine(e.file, e.line); }
      }
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      const next = order[order.indexOf(current) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) showLine(places.get(next).file, places.get(next).line);
    });
    host.append(code.pane, panel);
    const start = page.lines.find((entry) => entry.loop) || page.lines[0];
    showLine(start.file, start.line);
  }

  // A figure that refers to a drawing of the page's store; a shape that has none is shown in words only.
  function figure(shape) {
    const picture = html("figure", "picture");
    picture.dataset.structure = shape.structure;
    const symbol = shape.drawing && document.getElementById(shape.drawing);
    if (symbol) {
      const drawing = html("div", "drawing");
      drawing.append(reference(symbol));
      picture.append(drawing);
    }
    const caption = html("figcaption", "", shape.caption);
    if (symbol) caption.append(chooser(picture));
    picture.append(caption);
    return picture;
  }
  function reference(symbol) {
    const root = document.createElementNS(symbol.namespaceURI, "svg");
    const box = symbol.getAttribute("viewBox");
    root.setAttribute("viewBox", box);
    root.setAttribute("role", "img");
    root.style.width = "calc(" + Math.round(Number(box.split(" ")[2]) * 4 / 3) + "px*var(--zoom,1))";
    root.style.maxWidth = "100%";
    const use = document.createElementNS(symbol.namespaceURI, "use");
    use.setAttribute("href", "#" + symbol.id);
    root.append(use);
    return root;
  }

  // Search by a formula.
  const find = document.getElementById("find");
  if (find && structures.length) {
    find.hidden = false;
    const input = find.querySelector("input"), mode = find.querySelector("select"), answer = find.querySelector(".answer");
    const least = { surely: [2], perhaps: [1, 2], never: [0] };
    const search = () => {
      const text = input.value.trim();
      answer.classList.remove("wrong");
      matches = null;
      if (text) {
        try {
          const formula = parse(text, page.arities);
          const wanted = least[mode.value];
          matches = new Set(structures.map((s, n) => n).filter((n) => wanted.includes(evaluate(formula, structures[n]))));
          answer.textContent = plural(matches.size, "structure") + " of " + structures.length;
        } catch (error) {
          answer.textContent = error.message;
          answer.classList.add("wrong");
        }
      } else answer.textContent = "";
      for (const picture of all("main .picture[data-structure]"))
        picture.classList.toggle("unmatched", matches !== null && !matches.has(Number(picture.dataset.structure)));
      for (const part of all("details.location"))
        part.classList.toggle("unmatched", matches !== null && !part.querySelector(".picture:not(.unmatched)"));
      if (host && page.lines) {
        for (const entry of page.lines) {
          const row = shapeRows.get(entry.file + "\n" + entry.line);
          if (row) row.classList.toggle("hit", matches !== null && entry.shapes.some((shape) => matches.has(shape.structure)));
        }
        const now = host.querySelector(".row.now");
        if (now) now.click();
      }
    };
    let timer = null;
    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 250); });
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { clearTimeout(timer); search(); } });
    mode.addEventListener("change", search);
  }

  // Comparison of two.
  const chosen = [];
  let panel = null;
  function chooser(picture) {
    const button = html("button", "choose", "Compare");
    button.type = "button";
    button.addEventListener("click", () => choose(picture));
    return button;
  }
  function choose(picture) {
    const at = chosen.indexOf(picture);
    if (at >= 0) { chosen.splice(at, 1); picture.classList.remove("chosen"); }
    else {
      chosen.push(picture);
      picture.classList.add("chosen");
      if (chosen.length > 2) chosen.shift().classList.remove("chosen");
    }
    show();
  }
  function show() {
    if (panel) panel.remove();
    panel = null;
    if (!chosen.length) return;
    panel = html("section", "compare");
    panel.setAttribute("aria-label", "Comparison");
    const head = html("div", "head");
    head.append(html("strong", "", chosen.length < 2 ? "Choose a second structure to compare" : "Comparison"));
    const close = html("button", "", "Close");
    close.type = "button";
    close.addEventListener("click", () => { for (const p of chosen.splice(0)) p.classList.remove("chosen"); show(); });
    head.append(close);
    panel.append(head);
    const two = html("div", "two");
    const [a, b] = chosen.map((p) => facts(structures[Number(p.dataset.structure)]));
    chosen.forEach((picture, n) => {
      const side = html("div");
      const drawing = picture.querySelector("svg");
      if (drawing) side.append(drawing.cloneNode(true));
      if (b) {
        const mine = n ? b : a, other = n ? a : b;
        const list = html("ul");
        for (const [text, count] of mine) {
          const more = count - (other.get(text) || 0);
          if (more > 0) list.append(html("li", "", text + (more > 1 ? " (" + more + " times)" : "")));
        }
        side.append(html("p", "muted", list.childElementCount ? "Only here:" : "Nothing that the other has not."), list);
      }
      two.append(side);
    });
    panel.append(two);
    document.body.append(panel);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel) panel.querySelector("button").click();
  });
  for (const picture of all("main .picture[data-structure]"))
    if (!picture.querySelector(".choose")) picture.querySelector("figcaption").append(chooser(picture));
})();
