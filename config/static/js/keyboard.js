/* The keyboard map: / filter, j and k rows, ? overview. Single keys can be switched off in the overview. */
(() => {
  "use strict";

  const OFF = "statehouse-keys-off";
  const overview = document.getElementById("keys");
  const toggle = document.getElementById("keys-on");
  if (!overview) return;
  toggle.checked = localStorage.getItem(OFF) === null;
  toggle.addEventListener("change", () => (toggle.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
  for (const opener of document.querySelectorAll("[data-opens-keys]")) {
    opener.hidden = false;
    opener.addEventListener("click", () => overview.showModal());
  }

  function step(by) {
    const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.checkVisibility());
    if (rows.length === 0) return;
    const at = rows.findIndex((row) => row.classList.contains("key-row"));
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (at >= 0) rows[at].classList.remove("key-row");
    next.classList.add("key-row");
    (next.querySelector("a, button, summary") ?? next).focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  const ACTIONS = {
    "/": () => document.querySelector("[data-filter]")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    "?": () => overview.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || overview.open || !toggle.checked) return;
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
