"use strict";
(() => {
  const root = document.documentElement;
  const files = [...document.querySelectorAll("details.file")];
  const rows = [...document.querySelectorAll("tr[data-file]")];
  const filter = document.getElementById("filter");
  let file = -1;
  let current = null;

  root.classList.add("scripted");

  function remember(theme) {
    try { localStorage.setItem("coverage-theme", theme); } catch { /* storage is optional */ }
  }
  function recalled() {
    try { return localStorage.getItem("coverage-theme"); } catch { return null; }
  }
  const saved = recalled();
  if (saved === "light" || saved === "dark") root.dataset.theme = saved;

  function toggleTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  }
  function applyFilter() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    files.forEach((element, index) => {
      const path = element.dataset.path.toLowerCase();
      const shown = words.every((word) => path.includes(word));
      element.hidden = !shown;
      if (rows[index]) rows[index].hidden = !shown;
    });
  }
  function expandAll() {
    const open = files.some((element) => !element.open && !element.hidden);
    for (const element of files) if (!element.hidden) element.open = open;
  }
  function openTarget() {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    const holder = target && target.closest("details.file");
    if (!holder) return;
    holder.open = true;
    file = files.indexOf(holder);
    current = target.matches("i") ? target : null;
    target.scrollIntoView({ block: current ? "center" : "start" });
  }
  function stepFile(step) {
    const shown = files.map((_, index) => index).filter((index) => !files[index].hidden);
    if (!shown.length) return;
    const next = step > 0 ? shown.find((index) => index > file) ?? shown[0]
                          : shown.filter((index) => index < file).pop() ?? shown[shown.length - 1];
    file = next;
    files[file].open = true;
    files[file].querySelector("summary").focus({ preventScroll: true });
    files[file].scrollIntoView({ block: "start" });
  }
  function stepMiss(step) {
    const misses = [...document.querySelectorAll("details.file:not([hidden]) i.m, details.file:not([hidden]) i.p")];
    if (!misses.length) return;
    let index = misses.indexOf(current);
    if (index < 0 && current) {
      const after = misses.findIndex((line) => current.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_FOLLOWING);
      index = step > 0 ? (after < 0 ? misses.length : after) - 1 : after < 0 ? misses.length : after;
    }
    if (index < 0 && step < 0) index = 0;
    if (current) current.classList.remove("current");
    current = misses[(index + step + misses.length) % misses.length];
    current.classList.add("current");
    const holder = current.closest("details.file");
    holder.open = true;
    file = files.indexOf(holder);
    current.scrollIntoView({ block: "center" });
  }

  const keys = {
    j: () => stepFile(1), k: () => stepFile(-1), n: () => stepMiss(1), p: () => stepMiss(-1),
    e: expandAll, t: toggleTheme, "/": () => filter.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === filter) {
      if (event.key === "Escape") { filter.value = ""; applyFilter(); filter.blur(); }
      return;
    }
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.getElementById("expand").addEventListener("click", expandAll);
  document.getElementById("misses").addEventListener("click", () => stepMiss(1));
  filter.addEventListener("input", applyFilter);
  addEventListener("hashchange", openTarget);
  openTarget();
})();
