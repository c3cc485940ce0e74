/* Draws a table of values over time as a line; <table data-trend="holder"> with <tr data-at data-value>. */
(() => {
  "use strict";

  const charts = new Map();

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function inUtc(seconds) {
    return new Date(seconds * 1000).toISOString().slice(5, 16).replace("T", " ");
  }

  function axis() {
    return { stroke: colour("--ink-soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui" };
  }

  function draw(table) {
    const holder = document.getElementById(table.dataset.trend);
    const rows = [...table.querySelectorAll("tr[data-value]")];
    if (!holder || rows.length < 2) return;
    charts.get(table.dataset.trend)?.destroy();
    holder.hidden = false;
    const order = rows.map((row) => [Number(row.dataset.at) / 1000, Number(row.dataset.value)]).sort((a, b) => a[0] - b[0]);
    const options = {
      width: holder.clientWidth,
      height: 170,
      cursor: { y: false },
      scales: { y: { range: (_chart, low, high) => [Math.max(0, Math.floor(low * 0.9)), Math.ceil(high * 1.05) + 1] } },
      series: [{ label: "at", value: (_chart, place) => (place === null ? "" : `${inUtc(place)} UTC`) }, { label: table.dataset.label, stroke: colour("--accent"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: true, size: 6, fill: colour("--surface") } }],
      axes: [{ ...axis(), values: (_chart, places) => places.map(inUtc), space: 110 }, { ...axis(), size: 44 }],
    };
    charts.set(table.dataset.trend, new uPlot(options, [order.map((point) => point[0]), order.map((point) => point[1])], holder));
  }

  Statehouse.enhance("[data-trend]", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.querySelectorAll("[data-trend]").forEach(draw));
  let settled = null;
  window.addEventListener("resize", () => {
    clearTimeout(settled);
    settled = setTimeout(() => document.querySelectorAll("[data-trend]").forEach(draw), 150);
  });
})();
