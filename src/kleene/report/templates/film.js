// The film of a run: the source with the current line, the heap with blocks at fixed places, the call stack.
(function () {
  "use strict";
  const data = document.getElementById("page-data");
  if (!data) return;
  const page = JSON.parse(data.textContent);
  const sources = page.sources || {};
  const NS = document.getElementById("svg-store").namespaceURI;
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const html = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const LINE = 15, PAD = 9, TAG = 17, MARGIN = 24, CHARACTER = 6.7;
  const INTERVAL = 900; // milliseconds between the steps of a film that plays

  // Source panes, shared with the explorer of shapes.
  function codePane(files, used, choose) {
    const pane = html("div", "code");
    pane.tabIndex = 0;
    const rows = new Map();
    for (const file of files) {
      pane.append(html("div", "file", file.split("/").pop()));
      let before = null;
      for (const [number, text] of sources[file] || []) {
        if (before !== null && number !== before + 1) pane.append(html("div", "gap", "⋯"));
        before = number;
        const row = html("div", "row");
        row.append(html("span", "n", String(number)), html("span", "t", text));
        const key = file + "\n" + number;
        if (used.has(key)) {
          row.classList.add("can");
          row.addEventListener("click", () => choose(file, number));
        }
        rows.set(key, row);
        pane.append(row);
      }
    }
    function show(file, number) {
      for (const row of pane.querySelectorAll(".now")) { row.classList.remove("now"); row.removeAttribute("aria-current"); }
      const row = rows.get(file + "\n" + number);
      if (!row) return;
      row.classList.add("now");
      row.setAttribute("aria-current", "step");
      const top = row.offsetTop, height = pane.clientHeight;
      if (top < pane.scrollTop + 40 || top > pane.scrollTop + height - 60) pane.scrollTop = Math.max(0, top - height / 2);
    }
    return { pane, rows, show };
  }

  function drawFrame(film, number, highlight) {
    const frame = film.frames[number];
    const [width, height] = film.size;
    const root = svg("svg", { viewBox: -6 + " " + -MARGIN + " " + (width + 40) + " " + (height + MARGIN + 8), role: "img" });
    root.style.width = (width + 40) + "px";
    root.style.height = "auto";
    const states = new Map(frame.boxes.map((box) => [box[0], box[1]]));
    for (const [route, bad, changed] of frame.edges) {
      const [path, from, tip, label, text, source] = film.routes[route];
      const group = svg("g", { class: "heap-edge" + (bad ? " bad" : "") + (changed && highlight ? " changed" : "") + (states.get(source) === "freed" ? " old" : "") });
      group.append(svg("path", { d: path }));
      group.append(svg("polygon", { points: arrow(from, tip) }));
      if (text) group.append(svg("text", { x: label[0], y: label[1] + 4, "text-anchor": "middle" }, text));
      root.append(group);
    }
    for (const [box, kind, title, state, rows, changed] of frame.boxes) {
      const [x, y, w, h] = film.boxes[box];
      const group = svg("g", { class: "heap-box " + kind + (changed && highlight ? " changed" : "") });
      group.append(svg("rect", { x, y, width: w, height: h, rx: kind === "variable" ? 2 : 8 }));
      let line = y + PAD + 11;
      for (const [text, className] of [[title, "title"], [state, "state"], ...rows.map((row) => [row, ""])]) {
        if (!text) continue;
        group.append(svg("text", { x: x + PAD, y: line, class: className }, text));
        line += LINE;
      }
      root.append(group);
    }
    const offset = new Map();
    for (const [box, text, bad, changed] of frame.tags) {
      const [x, y] = film.boxes[box];
      const left = x + (offset.get(box) || 0), wide = text.length * CHARACTER + 10;
      offset.set(box, (offset.get(box) || 0) + wide + 4);
      const group = svg("g", { class: "heap-tag" + (bad ? " bad" : "") + (changed && highlight ? " changed" : "") });
      group.append(svg("rect", { x: left, y: y - TAG + 1, width: wide, height: TAG - 1, rx: 4 }));
      group.append(svg("text", { x: left + wide / 2, y: y - 4, "text-anchor": "middle" }, text));
      root.append(group);
    }
    root.setAttribute("aria-label", describe(frame));
    return root;
  }
  function arrow([fx, fy], [tx, ty]) {
    const length = Math.hypot(tx - fx, ty - fy) || 1;
    const dx = (tx - fx) / length, dy = (ty - fy) / length, w = 3.6;
    return [[tx, ty], [fx - dy * w, fy + dx * w], [fx + dy * w, fy - dx * w]].map((p) => p.map((n) => n.toFixed(1)).join()).join(" ");
  }
  const describe = (frame) => frame.boxes.map(([, , title, state, rows]) => [title, state, ...rows].filter(Boolean).join(", ")).join("; ")
    + frame.tags.map(([box, text]) => "; " + text + " points to a block").join("");

  function drawStack(frame, highlight) {
    const panel = html("div", "stack");
    panel.append(html("h4", "", "Call stack, innermost first"));
    for (const [name, variables] of [...frame.stack].reverse()) {
      const row = html("div", "frame");
      row.append(html("b", "", name));
      for (const [variable, value, changed] of variables)
        row.append(html("span", changed && highlight ? "changed" : "", variable + (value.startsWith("→") ? " " : " = ") + value));
      panel.append(row);
    }
    return panel;
  }

  function setUp(host) {
    const film = page.films[Number(host.dataset.film)];
    const steps = film.steps;
    const last = steps.length - 1;
    let now = last, timer = null;
    const root = html("div", "film");
    root.tabIndex = 0;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "The run, step by step");

    const controls = html("div", "film-controls");
    const button = (label, title, action) => {
      const b = html("button", "", label);
      b.type = "button"; b.title = title; b.setAttribute("aria-label", title);
      b.addEventListener("click", action);
      controls.append(b);
      return b;
    };
    button("|◀", "First step (Home)", () => go(0));
    button("◀", "Step back (←)", () => go(now - 1));
    const play = button("▶ Play", "Play or pause (space)", () => toggle());
    button("▶", "Step forward (→)", () => go(now + 1));
    button("▶|", "Last step (End)", () => go(last));
    const slider = html("input");
    Object.assign(slider, { type: "range", min: 0, max: last, value: last });
    slider.setAttribute("aria-label", "Step");
    slider.addEventListener("input", () => go(Number(slider.value)));
    controls.append(slider);
    const count = html("span", "count");
    controls.append(count);
    let chapters = null;
    if (film.chapters.length) {
      chapters = html("select");
      chapters.setAttribute("aria-label", "Operation");
      film.chapters.forEach(([title, first], number) => {
        const option = html("option", "", number + 1 + ". " + title);
        option.value = first;
        chapters.append(option);
      });
      chapters.addEventListener("change", () => go(Number(chapters.value)));
      controls.append(chapters);
    }
    const what = html("div", "film-now");
    what.setAttribute("aria-live", "polite");
    const files = [...new Set([film.place[0], ...steps.map((s) => s[0])])].filter((f) => (sources[f] || []).length);
    const used = new Set(steps.map((s) => s[0] + "\n" + s[1]));
    const code = codePane(files, used, (file, line) => {
      const at = (s) => s[0] === file && s[1] === line;
      const next = steps.findIndex((s, n) => n > now && at(s));
      go(next >= 0 ? next : steps.findIndex(at));
    });
    const side = html("div", "film-side"), stage = html("div", "stage");
    let stack = html("div", "stack");
    side.append(stage, stack);
    const body = html("div", "film-body");
    body.append(code.pane, side);
    root.append(controls, what, body);
    host.append(root);
    const keys = html("p", "keys");
    for (const [key, text] of [["←", ""], ["→", "step"], ["Shift ←", ""], ["Shift →", "operation"], ["Home", ""], ["End", "first, last"], ["Space", "play"]])
      keys.append(html("kbd", "", key), " " + (text ? text + " · " : ""));
    keys.lastChild.textContent = " play. A click on a line goes to its next execution.";
    host.append(keys);

    function go(target) {
      now = Math.max(0, Math.min(last, target));
      const [file, line, depth, text, note, frame] = steps[now];
      const fresh = now > 0 && steps[now - 1][5] !== frame;
      slider.value = now;
      slider.setAttribute("aria-valuetext", "step " + (now + 1) + ": " + text);
      count.textContent = "step " + (now + 1) + " of " + (last + 1);
      what.replaceChildren(html("span", "where", file.split("/").pop() + ":" + line), html("code", "", text));
      if (note) what.append(html("span", "badge possible", note));
      if (now === last) what.append(html("span", "wrong", film.message));
      root.classList.toggle("at-end", now === last);
      const picture = film.frames[frame].boxes.length ? drawFrame(film, frame, fresh) : html("p", "empty", "Nothing on the heap.");
      const left = stage.scrollLeft, top = stage.scrollTop;
      stage.replaceChildren(picture);
      stage.scrollLeft = left; stage.scrollTop = top;
      fit(picture);
      const panel = drawStack(film.frames[frame], fresh);
      stack.replaceWith(panel);
      stack = panel;
      code.show(file, line);
      const been = new Set(steps.slice(0, now + 1).map((s) => s[0] + "\n" + s[1]));
      for (const [key, row] of code.rows) row.classList.toggle("been", been.has(key));
      if (chapters) chapters.selectedIndex = film.chapters.filter(([, first]) => first <= now).length - 1;
      if (now === last && timer) toggle();
    }
    function fit(picture) {
      if (!picture.viewBox) return;
      const natural = film.size[0] + 40;
      const room = stage.clientWidth - 20;
      const zoom = Number(getComputedStyle(document.documentElement).getPropertyValue("--zoom")) || 1;
      picture.style.width = Math.max(natural * 0.55, Math.min(natural * Math.max(zoom, .8) * 1.25, room)) + "px";
    }
    function toggle() {
      if (timer) { clearInterval(timer); timer = null; }
      else {
        if (now === last) go(0);
        timer = setInterval(() => go(now + 1), INTERVAL);
      }
      play.textContent = timer ? "❚❚ Pause" : "▶ Play";
    }
    function chapter(direction) {
      const firsts = film.chapters.length ? film.chapters.map((c) => c[1]) : [0];
      const target = direction > 0 ? firsts.find((f) => f > now) : firsts.filter((f) => f < now).pop();
      go(target === undefined ? (direction > 0 ? last : 0) : target);
    }
    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inSelect = event.target.tagName === "SELECT";
      const act = {
        ArrowLeft: () => (event.shiftKey ? chapter(-1) : go(now - 1)), ArrowRight: () => (event.shiftKey ? chapter(1) : go(now + 1)),
        Home: () => go(0), End: () => go(last), " ": () => toggle(),
      }[event.key];
      if (!act || inSelect || (event.key === " " && event.target.tagName === "BUTTON")) return;
      event.preventDefault();
      act();
    });
    window.addEventListener("resize", () => go(now));
    go(last);

    // For paper: the heaps in the list of steps, where they changed.
    const cells = Array.from(document.querySelectorAll('[data-run="' + host.dataset.film + '"] td.heap'));
    function fillTable() {
      cells.forEach((cell, n) => {
        if (cell.childElementCount || (n > 0 && steps[n][5] === steps[n - 1][5]) || !film.frames[steps[n][5]].boxes.length) return;
        cell.append(drawFrame(film, steps[n][5], n > 0));
      });
    }
    const list = host.parentElement.querySelector("details.steps");
    if (list) list.addEventListener("toggle", () => { if (list.open) fillTable(); });
    let wasOpen = true;
    window.addEventListener("beforeprint", () => { fillTable(); if (list) { wasOpen = list.open; list.open = true; } });
    window.addEventListener("afterprint", () => { if (list) list.open = wasOpen; });
  }

  for (const host of document.querySelectorAll("[data-film]")) setUp(host);
  window.kleene.codePane = codePane;
  window.kleene.page = page;
  window.kleene.html = html;
})();
