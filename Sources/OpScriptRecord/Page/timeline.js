const colours = ["#3b73b9", "#c46a1b", "#3f8f4f", "#8a5fb0", "#a0522d", "#2f8c8c", "#b0447c", "#7a7a22"];
const timeline = (() => {
  const canvas = byId("timeline"), context = canvas.getContext("2d");
  const left = 130, rowHeight = 20, top = 22;
  const onPath = new Set(data.path.filter(p => p[0] < 0 && p[1] >= 0).map(p => p[1]));
  let colourOf = [], rows = [], rowOf = new Int32Array(0), mode = "runners";
  let from = 0, to = Math.max(1, run.duration), selected = -1, needle = "", matching = null;
  let drawn = 0, isPrinting = false, order = [];

  function end(op) { return data.start[op] + data.length[op]; }

  // Rows of operations that do not overlap, each in the order of time.
  function arrange(newMode) {
    mode = newMode;
    rows = [];
    rowOf = new Int32Array(data.start.length).fill(-1);
    const started = [];
    for (let op = 0; op < data.start.length; op++) if (data.start[op] >= 0) started.push(op);
    started.sort((a, b) => data.start[a] - data.start[b] || end(a) - end(b) || a - b);
    order = started;
    if (mode === "runners") {
      rows = data.lanes.map(name => ({ name, ops: [] }));
      for (const op of started) if (data.lane[op] >= 0) put(op, data.lane[op]);
      return;
    }
    const lines = new Map();
    for (const op of started) {
      const queue = data.queue[op];
      if (!lines.has(queue)) lines.set(queue, []);
      const list = lines.get(queue);
      let line = list.findIndex(l => l.until <= data.start[op]);
      if (line < 0 && list.length < 64) { line = list.length; list.push({ until: 0, ops: [] }); }
      if (line < 0) line = 63;
      list[line].until = end(op);
      list[line].ops.push(op);
    }
    for (const queue of [...lines.keys()].sort((a, b) => a - b)) {
      const known = queue < 0 ? null : data.queues[queue];
      const label = !known ? "no queue" : known.name + (known.width ? " (" + known.width + ")" : "");
      lines.get(queue).forEach((line, i) => {
        rows.push({ name: i ? "" : label, ops: [] });
        for (const op of line.ops) put(op, rows.length - 1);
      });
    }
  }
  function put(op, row) { rowOf[op] = row; rows[row].ops.push(op); }

  function dark() { return !isPrinting && matchMedia("(prefers-color-scheme: dark)").matches; }
  function fits() {
    const width = Math.max(300, canvas.parentElement.clientWidth - 2);
    const height = top + rows.length * rowHeight + 4;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return [width, height];
  }

  // The first place in a row whose operation ends after a moment.
  function firstAfter(ops, moment) {
    let low = 0, high = ops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end(ops[middle]) < moment) low = middle + 1; else high = middle;
    }
    return low;
  }

  function draw() {
    const begun = performance.now();
    const [width, height] = fits();
    const isDark = dark(), scale = (width - left) / (to - from);
    context.fillStyle = isDark ? "#16181b" : "#ffffff";
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    drawScale(width, height, isDark, scale);
    drawn = 0;
    for (let row = 0; row < rows.length; row++) {
      const y = top + row * rowHeight, ops = rows[row].ops;
      context.fillStyle = isDark ? "#e6e6e6" : "#1b1b1b";
      context.fillText(rows[row].name, 4, y + rowHeight / 2, left - 8);
      let lastX = -1, lastKey = null;
      for (let i = firstAfter(ops, from); i < ops.length; i++) {
        const op = ops[i], start = data.start[op];
        if (start > to) break;
        const x = Math.max(left, left + (start - from) * scale);
        const stop = Math.min(width, left + (end(op) - from) * scale);
        const isOut = matching && !matching[op];
        const isPath = onPath.has(op), hasFailed = data.outcome[op] === 1;
        // An operation that would cover the same pixel in the same way is not drawn again.
        const key = isOut ? -1 : data.group[op] * 4 + (isPath ? 2 : 0) + (hasFailed ? 1 : 0);
        if (stop < lastX + 0.5 && key === lastKey) continue;
        const w = Math.max(1, stop - x - (stop - x > 3 ? 1 : 0));
        context.fillStyle = isOut ? (isDark ? "#33373c" : "#e3e3e3")
          : hasFailed ? "#c62828" : data.group[op] < 0 ? "#8c8c8c" : colourOf[data.group[op]];
        context.fillRect(x, y + 2, w, rowHeight - 6);
        if (isPath && !isOut) {
          context.fillStyle = isDark ? "#ffb454" : "#b25000";
          context.fillRect(x, y + rowHeight - 4, w, 3);
        }
        if (op === selected) {
          context.strokeStyle = isDark ? "#ffffff" : "#000000";
          context.lineWidth = 2;
          context.strokeRect(x - 1, y + 1, w + 2, rowHeight - 4);
        }
        if (w > 40 && !isOut) {
          context.fillStyle = "#ffffff";
          context.save();
          context.beginPath();
          context.rect(x, y, w - 2, rowHeight);
          context.clip();
          context.fillText(nameOf(op), x + 3, y + rowHeight / 2 - 1);
          context.restore();
        }
        lastX = stop;
        lastKey = key;
        drawn++;
      }
    }
    api.drawTime = performance.now() - begun;
  }

  function drawScale(width, height, isDark, scale) {
    let step = 1;
    while (step * scale < 90) step *= String(step)[0] === "2" ? 2.5 : 2;
    context.fillStyle = isDark ? "#a6a6a6" : "#5a5a5a";
    context.strokeStyle = isDark ? "#2a2e33" : "#ececec";
    context.lineWidth = 1;
    for (let moment = Math.ceil(from / step) * step; moment <= to; moment += step) {
      const x = left + (moment - from) * scale;
      context.beginPath();
      context.moveTo(x + .5, top);
      context.lineTo(x + .5, height);
      context.stroke();
      context.fillText(seconds(Math.round(moment)), x + 2, 10);
    }
  }

  function show(newFrom, newTo) {
    const length = Math.min(Math.max(newTo - newFrom, 10), Math.max(10, run.duration));
    from = Math.max(0, Math.min(newFrom, run.duration - length));
    to = from + length;
    draw();
  }
  function zoom(factor, around = (from + to) / 2) {
    show(around - (around - from) * factor, around + (to - around) * factor);
  }
  function select(op, scrolls) {
    selected = op;
    byId("details").textContent = op < 0 ? "" : describe(op);
    if (op >= 0 && scrolls) {
      if (end(op) < from || data.start[op] > to) {
        const half = (to - from) / 2;
        show(data.start[op] - half, data.start[op] + half);
      }
      const box = canvas.parentElement, y = top + rowOf[op] * rowHeight;
      if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - rowHeight)
        box.scrollTop = y - box.clientHeight / 2;
    }
    draw();
  }
  function describe(op) {
    const isEarlier = op >= data.count, number = isEarlier ? data.earlier[op - data.count][0] : op;
    const parts = ["#" + (data.number ? data.number[op] : number) + " " + nameOf(op)];
    if (isEarlier) parts.push("an attempt that another one followed");
    if (isEarlier && data.earlier[op - data.count][4]) parts.push(data.earlier[op - data.count][4]);
    if (data.place[op] >= 0) parts.push("made at " + data.places[data.place[op]]);
    parts.push(data.outcome[op] < 0 ? "not ended" : outcomes[data.outcome[op]]);
    if (data.queue[op] >= 0) parts.push("queue " + data.queues[data.queue[op]].name);
    if (data.lane[op] >= 0) parts.push("on " + data.lanes[data.lane[op]]);
    parts.push("started after " + seconds(data.start[op]) + ", ran " + seconds(data.length[op]));
    if (data.toReady[op] > 0) parts.push("ready after " + seconds(data.toReady[op]));
    if (data.toStart[op] > 0) parts.push("then waited " + seconds(data.toStart[op]));
    if (data.cause[op] >= 0) parts.push("released by " + data.causes[data.cause[op]]
      + (data.by[op] >= 0 ? ": " + nameOf(data.by[op]) + " #" + data.by[op] : ""));
    if (data.attempts[op] > 1) parts.push(data.attempts[op] + " attempts");
    if (onPath.has(op)) parts.push("on the critical path");
    return parts.join("; ");
  }
  function step(by) {
    const list = matching ? order.filter(op => matching[op] && rowOf[op] >= 0)
      : order.filter(op => rowOf[op] >= 0);
    if (!list.length) return;
    const place = list.indexOf(selected);
    select(list[place < 0 ? (by > 0 ? 0 : list.length - 1)
      : Math.min(list.length - 1, Math.max(0, place + by))], true);
  }
  function filter(text) {
    needle = text.toLowerCase();
    if (!needle) matching = null;
    else {
      const fits = data.names.map(name => name.toLowerCase().includes(needle));
      matching = data.name.map(name => name >= 0 && fits[name]);
    }
    api.matches = matching ? matching.reduce((n, m, i) => n + (m && i < data.count ? 1 : 0), 0) : data.count;
    byId("matches").textContent = matching ? api.matches + " of " + data.count : "";
    draw();
  }
  function at(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const row = Math.floor((y - top) / rowHeight);
    const moment = from + (x - left) * (to - from) / (box.width - left);
    return { row, moment, slack: 2 * (to - from) / (box.width - left) };
  }
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.shiftKey && !event.altKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event).moment);
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", event => {
    drag = { x: event.clientX, from, to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    if (!drag) return;
    const by = (drag.x - event.clientX) * (drag.to - drag.from) / (canvas.clientWidth - left);
    if (Math.abs(drag.x - event.clientX) > 3) drag.moved = true;
    if (drag.moved) show(drag.from + by, drag.to + by);
  });
  canvas.addEventListener("pointerup", event => {
    const wasClick = drag && !drag.moved;
    drag = null;
    if (!wasClick) return;
    const { row, moment, slack } = at(event), ops = rows[row] ? rows[row].ops : [];
    const op = ops[firstAfter(ops, moment - slack)];
    select(op !== undefined && data.start[op] <= moment + slack ? op : -1, false);
  });
  canvas.addEventListener("dblclick", event => zoom(0.25, at(event).moment));
  const keys = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, run.duration),
    "Home": () => show(0, run.duration), "n": () => step(1), "p": () => step(-1),
    "ArrowLeft": () => show(from - (to - from) / 4, to - (to - from) / 4),
    "ArrowRight": () => show(from + (to - from) / 4, to + (to - from) / 4),
    "z": () => { if (selected >= 0) {
      const around = Math.max(data.length[selected], 10);
      show(data.start[selected] - around, end(selected) + around); } },
  };
  canvas.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("zoomIn").onclick = keys["+"];
  byId("zoomOut").onclick = keys["-"];
  byId("all").onclick = keys["0"];
  byId("next").onclick = keys["n"];
  byId("previous").onclick = keys["p"];
  byId("filter").oninput = event => filter(event.target.value);
  byId("rows").onchange = event => { arrange(event.target.value); draw(); };
  const key = byId("key");
  function entry(colour, text) {
    const box = element("span", undefined, key);
    element("i", undefined, box).style.background = colour;
    box.append(text);
  }
  let shownWorks = null;
  function paint() {
    const works = profile.works.slice(0, 8).map(work => work.name);
    const rank = new Map(works.map((name, i) => [name, i]));
    colourOf = data.names.map(name => rank.has(name) ? colours[rank.get(name)] : "#8c8c8c");
    if (shownWorks === works.join("\n")) return;
    shownWorks = works.join("\n");
    key.textContent = "";
    works.forEach((name, i) => entry(colours[i], name));
    entry("#c62828", "failed");
  }
  // The data has grown: shows the end if it was shown before, and the same operation as selected.
  function grow(before, newSelected) {
    if (to >= before) {
      if (from > 0) from += run.duration - to;
      to = Math.max(1, run.duration);
    }
    paint();
    arrange(mode);
    selected = newSelected;
    byId("details").textContent = selected < 0 ? "" : describe(selected);
    filter(byId("filter").value);
  }
  addEventListener("resize", draw);
  addEventListener("beforeprint", () => { isPrinting = true; draw(); });
  addEventListener("afterprint", () => { isPrinting = false; draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const api = { drawTime: 0, matches: data.count, show, zoom, select, filter, draw, arrange, onPath,
    grow, state: () => ({ from, to, selected, drawn, rows: rows.length }) };
  paint();
  arrange("runners");
  draw();
  return api;
})();
