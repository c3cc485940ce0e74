/* Draws the transitions of a list as a graph: dagre lays it out, the SVG is ours.
 *
 * The list is the truth: <ol data-graph data-current> with <li data-from data-to data-label data-state>. It stays beside
 * the picture, folded, for readers who prefer text.
 */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const LONGEST = 26;
  const NODE_HEIGHT = 34;
  const pen = document.createElement("canvas").getContext("2d");

  const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

  function widthOf(text, font) {
    pen.font = font;
    return Math.ceil(pen.measureText(text).width);
  }

  function make(name, attributes, parent, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent?.append(element);
    return element;
  }

  function readMoves(list) {
    const moves = new Map();
    let before = "";
    for (const { dataset } of list.querySelectorAll("li[data-to]")) {
      // Without a declared origin it followed what the log holds before it.
      const isDeclared = Boolean(dataset.from);
      const from = isDeclared ? dataset.from : before;
      before = dataset.to;
      const key = JSON.stringify([from, dataset.to]);
      const move = moves.get(key) ?? { from, to: dataset.to, labels: [], state: "", isDeclared };
      move.labels.push(dataset.label);
      move.state = dataset.state || move.state;
      move.isDeclared ||= isDeclared;
      moves.set(key, move);
    }
    return [...moves.values()];
  }

  function layOut(moves, isWide) {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: isWide ? "LR" : "TB", nodesep: 26, ranksep: isWide ? 46 : 40, edgesep: 18, marginx: 16, marginy: 16 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const place of new Set(moves.flatMap((move) => [move.from, move.to]))) {
      if (place === "") continue;
      graph.setNode(place, { width: Math.max(widthOf(cut(place), "650 13px system-ui") + 28, 64), height: NODE_HEIGHT });
    }
    for (const move of moves) {
      if (move.from === "") continue;
      const more = move.labels.length > 1 ? ` ×${move.labels.length}` : "";
      const label = cut(move.labels[0]) + more;
      graph.setEdge(move.from, move.to, { ...move, label, width: widthOf(label, "11.5px system-ui") + 8, height: 16, labelpos: "c" });
    }
    dagre.layout(graph);
    return graph;
  }

  function drawEdge(svg, edge) {
    const group = make("g", { class: `graph-edge graph-edge-${edge.state}${edge.isDeclared ? "" : " graph-edge-undeclared"}` }, svg);
    const [first, ...rest] = edge.points;
    make("path", { d: `M${first.x},${first.y} ${rest.map((point) => `L${point.x},${point.y}`).join(" ")}`, "marker-end": "url(#graph-arrow)" }, group);
    make("title", {}, group, `${edge.from} → ${edge.to}: ${edge.labels.join(", ")}`);
    return group;
  }

  function drawNode(svg, place, node, isCurrent) {
    const group = make("g", { class: isCurrent ? "graph-node graph-node-current" : "graph-node", transform: `translate(${node.x},${node.y})` }, svg);
    make("rect", { x: -node.width / 2, y: -node.height / 2, width: node.width, height: node.height, rx: isCurrent ? 17 : 5 }, group);
    make("text", {}, group, cut(place));
    if (isCurrent) make("text", { class: "graph-mark", y: -node.height / 2 - 8 }, group, "● here now");
    make("title", {}, group, isCurrent ? `${place} (current)` : place);
  }

  function draw(list) {
    const moves = readMoves(list);
    const holder = document.getElementById(list.dataset.graph);
    if (!holder || moves.length === 0) return;
    holder.hidden = false;
    const isWide = holder.clientWidth > 640 && new Set(moves.map((move) => move.to)).size <= 5;
    const graph = layOut(moves, isWide);
    const { width, height } = graph.graph();
    const svg = make("svg", { viewBox: `0 -8 ${width} ${height + 8}`, width, height: height + 8, role: "img" });
    svg.setAttribute("aria-label", `Graph of ${graph.nodeCount()} states, now at ${list.dataset.current}; the same as a list follows.`);
    const marker = make("marker", { id: "graph-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, make("defs", {}, svg));
    make("path", { d: "M0 0 8 4 0 8z", class: "graph-arrow" }, marker);
    const edges = graph.edges().map((name) => [graph.edge(name), drawEdge(svg, graph.edge(name))]);
    for (const place of graph.nodes()) drawNode(svg, place, graph.node(place), place === list.dataset.current);
    for (const [edge, group] of edges) make("text", { x: edge.x, y: edge.y + 4 }, group, edge.label);
    holder.replaceChildren(svg);
    list.closest("details")?.removeAttribute("open");
    const here = holder.querySelector(".graph-node-current")?.getBoundingClientRect();
    if (here) holder.scrollTo(here.left - holder.getBoundingClientRect().left - holder.clientWidth / 2 + here.width / 2, here.top - holder.getBoundingClientRect().top - holder.clientHeight / 2);
  }

  Statehouse.enhance("[data-graph]", draw);
})();
