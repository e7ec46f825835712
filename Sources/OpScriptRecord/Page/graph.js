const graph = (() => {
  const limit = 200, nodes = data.nodes, box = byId("graph");
  const kept = nodes.map((n, i) => i).sort((a, b) => nodes[b].total - nodes[a].total || a - b).slice(0, limit);
  const isKept = new Set(kept);
  const edges = data.edges.filter(([a, b]) => a !== b && isKept.has(a) && isKept.has(b));
  byId("graphText").textContent = "Operations of one name are one node; a number at an arrow says how many "
    + "dependencies it represents. A thick border marks the critical path."
    + (nodes.length > limit ? " Only the " + limit + " names with the longest total time are shown, of "
      + nodes.length + "." : "");
  // Layers by the longest path from a source; edges that would close a cycle do not count.
  const out = new Map(kept.map(i => [i, []]));
  for (const [a, b] of edges) out.get(a).push(b);
  const state = new Map(), order = [], back = new Set();
  for (const root of kept) {
    if (state.has(root)) continue;
    const stack = [[root, 0]];
    state.set(root, 1);
    while (stack.length) {
      const last = stack[stack.length - 1], next = out.get(last[0])[last[1]++];
      if (next === undefined) { state.set(last[0], 2); order.push(last[0]); stack.pop(); }
      else if (!state.has(next)) { state.set(next, 1); stack.push([next, 0]); }
      else if (state.get(next) === 1) back.add(last[0] + " " + next);
    }
  }
  order.reverse();
  const layer = new Map(kept.map(i => [i, 0]));
  for (const node of order)
    for (const next of out.get(node))
      if (!back.has(node + " " + next)) layer.set(next, Math.max(layer.get(next), layer.get(node) + 1));
  // Names that no arrow touches are a grid of their own, below the others.
  const touched = new Set(edges.flat());
  const columns = [], single = order.filter(node => !touched.has(node)).sort((a, b) => a - b);
  for (const node of order)
    if (touched.has(node)) (columns[layer.get(node)] = columns[layer.get(node)] || []).push(node);
  const wide = 190, high = 38, gapX = 60, gapY = 14, places = new Map();
  columns.forEach((column, x) => {
    const weight = node => {
      const before = edges.filter(([, b]) => b === node).map(([a]) => places.get(a)).filter(p => p);
      return before.length ? before.reduce((t, p) => t + p[1], 0) / before.length : 0;
    };
    column.sort((a, b) => weight(a) - weight(b) || a - b);
    column.forEach((node, y) => places.set(node, [10 + x * (wide + gapX), 10 + y * (high + gapY)]));
  });
  const depth = Math.max(0, ...columns.map(column => column.length));
  const across = Math.max(columns.length, Math.min(single.length, 5));
  single.forEach((node, i) => places.set(node, [10 + i % across * (wide + gapX),
    10 + (depth + Math.floor(i / across)) * (high + gapY)]));
  const down = depth + Math.ceil(single.length / Math.max(1, across));
  const space = "http://www.w3.org/2000/svg";
  function shape(name, parent, attributes) {
    const result = document.createElementNS(space, name);
    for (const key in attributes) result.setAttribute(key, attributes[key]);
    parent.appendChild(result);
    return result;
  }
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("width", 20 + across * (wide + gapX));
  svg.setAttribute("height", 20 + Math.max(1, down) * (high + gapY));
  const marker = shape("marker", shape("defs", svg, {}), { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4,
    markerWidth: 7, markerHeight: 7, orient: "auto" });
  shape("path", marker, { d: "M0,0 L8,4 L0,8 z", style: "fill: var(--soft)" });
  for (const [a, b, count] of edges) {
    const [x1, y1] = places.get(a), [x2, y2] = places.get(b);
    const sx = x1 + wide, sy = y1 + high / 2, ex = x2, ey = y2 + high / 2, bend = Math.max(30, (ex - sx) / 2);
    shape("path", svg, { d: `M${sx},${sy} C${sx + bend},${sy} ${ex - bend},${ey} ${ex},${ey}`,
      "marker-end": "url(#arrow)" });
    if (count > 1) shape("text", svg, { x: (sx + ex) / 2 - 6, y: (sy + ey) / 2 - 3 }).textContent = count;
  }
  for (const node of kept) {
    const [x, y] = places.get(node), item = nodes[node];
    const group = shape("g", svg, { class: (item.onPath ? "path " : "") + (item.failed ? "failed" : "") });
    shape("rect", group, { x, y, width: wide, height: high, rx: 4 });
    const name = item.name.length > 26 ? item.name.slice(0, 25) + "…" : item.name;
    shape("text", group, { x: x + 6, y: y + 16 }).textContent = name;
    shape("text", group, { x: x + 6, y: y + 31 }).textContent = (item.count > 1 ? item.count + " × " : "")
      + seconds(item.total) + (item.failed ? ", " + item.failed + " failed" : "");
    shape("title", group, {}).textContent = item.name;
  }
  if (kept.length) box.appendChild(svg); else box.textContent = "No operations.";
  return { nodes: kept.length, edges: edges.length, layers: columns.length };
})();
window.opscript = { data, timeline, graph, isReady: true };
