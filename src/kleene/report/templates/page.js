"use strict";
(function () {
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);

  // Predicates: an item is hidden when every predicate it stands for is switched off.
  const boxes = all("[data-predicate]");
  function filter() {
    const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.predicate));
    for (const item of all("svg .k")) {
      const own = Array.from(item.classList).filter((name) => name.startsWith("p-"));
      item.classList.toggle("off", own.every((name) => off.has(name)));
    }
    for (const comma of all("svg .comma")) {
      let before = false;
      for (let e = comma.previousElementSibling; e; e = e.previousElementSibling)
        before = before || (e.classList.contains("k") && !e.classList.contains("off"));
      const next = comma.nextElementSibling;
      comma.classList.toggle("off", !before || !next || next.classList.contains("off"));
    }
    byId("filter-note").textContent = off.size ? "(" + off.size + " hidden)" : "";
  }
  for (const box of boxes) box.addEventListener("change", filter);
  for (const button of all("[data-filter]")) {
    button.addEventListener("click", () => {
      const want = button.dataset.filter;
      for (const box of boxes) box.checked = want === "all" || (want === "core" && box.dataset.kind === "core");
      filter();
    });
  }
  document.addEventListener("keydown", (event) => {
    const open = document.querySelector(".filter[open]");
    if (event.key === "Escape" && open) { open.open = false; open.querySelector("summary").focus(); }
  });
  document.addEventListener("click", (event) => {
    const open = document.querySelector(".filter[open]");
    if (open && !open.contains(event.target)) open.open = false;
  });

  // Size of the drawings.
  const zoom = byId("zoom");
  const resize = () => document.documentElement.style.setProperty("--zoom", zoom.value / 100);
  zoom.addEventListener("input", resize);
  resize();

  // Collapsible parts: a link opens its target, printing opens everything.
  const parts = all("details.location, details.explanation");
  function openTarget() {
    const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", openTarget);
  for (const link of all('a[href^="#"]')) link.addEventListener("click", () => setTimeout(openTarget, 0));
  openTarget();
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = parts.filter((part) => !part.open);
    for (const part of closed) part.open = true;
  });
  window.addEventListener("afterprint", () => { for (const part of closed) part.open = false; });
  const toggle = byId("toggle-all");
  if (parts.length > 1) {
    toggle.hidden = false;
    const label = () => { toggle.textContent = parts.every((part) => part.open) ? "Close all" : "Open all"; };
    toggle.addEventListener("click", () => {
      const open = !parts.every((part) => part.open);
      for (const part of parts) part.open = open;
      label();
    });
    for (const part of parts) part.addEventListener("toggle", label);
    label();
  }
})();
