/* Draws both sides' offers over time against target and floor; <table data-offers="holder"> with <tr data-at data-side data-value>. */
(() => {
  "use strict";

  const charts = new Map();

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function day(seconds) {
    return new Date(seconds * 1000).toISOString().slice(5, 10);
  }

  function axis() {
    return { stroke: colour("--ink-soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui" };
  }

  function line(label, stroke, dash, shown) {
    return { label, stroke: colour(stroke), width: 2, dash, spanGaps: true, points: { show: shown, size: 7, fill: colour("--surface") } };
  }

  function level(table, name, places) {
    const value = table.dataset[name];
    return places.map(() => (value === undefined ? null : Number(value)));
  }

  function draw(table) {
    const holder = document.getElementById(table.dataset.offers);
    const rows = [...table.querySelectorAll("tr[data-value]")];
    if (!holder || rows.length < 2) return;
    charts.get(table.dataset.offers)?.destroy();
    holder.hidden = false;
    const points = rows.map((row) => ({ at: Number(row.dataset.at) / 1000, side: row.dataset.side, value: Number(row.dataset.value) })).sort((a, b) => a.at - b.at);
    const places = points.map((point) => point.at);
    const of = (side) => points.map((point) => (point.side === side ? point.value : null));
    const options = {
      width: holder.clientWidth,
      height: 220,
      cursor: { y: false },
      series: [{ label: "at", value: (_chart, place) => (place === null ? "" : day(place)) }, line("ours", "--accent", undefined, true), line("theirs", "--bad", undefined, true), line("target", "--good", [8, 4], false), line("floor", "--wait", [2, 4], false)],
      axes: [{ ...axis(), values: (_chart, at) => at.map(day), space: 70 }, { ...axis(), size: 64 }],
    };
    charts.set(table.dataset.offers, new uPlot(options, [places, of("OWN"), of("COUNTERPART"), level(table, "target", places), level(table, "floor", places)], holder));
  }

  const all = () => document.querySelectorAll("[data-offers]").forEach(draw);
  Statehouse.enhance("[data-offers]", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  let settled = null;
  window.addEventListener("resize", () => {
    clearTimeout(settled);
    settled = setTimeout(all, 150);
  });
})();
