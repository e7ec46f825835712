const live = (() => {
  const token = new URLSearchParams(location.search).get("token") || "";
  const most = 20000;
  let spans = [], load = [], last = null, cursor = "", source = null, isOver = false, messages = 0;

  function address(path, more) {
    return path + "?token=" + encodeURIComponent(token) + (more || "");
  }
  function say(text) { byId("subtitle").textContent = text; }
  function note(text) {
    byId("note").hidden = !text;
    byId("note").textContent = text;
  }

  // MARK: Receiving

  function connect() {
    source = new EventSource(address("events", cursor ? "&since=" + cursor : ""));
    source.onmessage = event => {
      cursor = event.lastEventId;
      receive(JSON.parse(event.data));
    };
    source.onerror = () => {
      if (isOver) return;
      say("connection lost; trying again");
      // The browser tries again by itself unless the server has refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
    };
  }
  function receive(message) {
    messages++;
    if (message.whole) { spans = []; load = []; byId("failures").replaceChildren(byId("failures").firstChild); }
    spans.push(...message.spans);
    load.push(...message.load);
    if (spans.length > most) spans = thinned(spans, s => s[4]);
    if (load.length > most) load = load.filter((sample, i) => i > most / 2 || i % 2);
    for (const failure of message.failures) showFailure(failure);
    last = message;
    if (message.run.end !== undefined) end(message);
    if (!document.hidden) show();
  }
  // Of the older half, the longer half.
  function thinned(list, length) {
    const older = list.slice(0, list.length / 2).map((item, i) => [item, i]);
    older.sort((a, b) => length(b[0]) - length(a[0]) || a[1] - b[1]);
    return older.slice(0, older.length / 2).sort((a, b) => a[1] - b[1]).map(pair => pair[0])
      .concat(list.slice(list.length / 2));
  }
  function end(message) {
    isOver = true;
    source.close();
    byId("cancelRun").hidden = true;
    if (message.run.early) note("This run ended early: " + message.run.end + ".");
    if (message.run.report) {
      byId("report").hidden = false;
      byId("reportLink").href = address("report");
    }
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden && last) show(); });

  // MARK: Showing

  function show() {
    const before = run.duration;
    Object.assign(run, last.run);
    profile.works = last.works;
    document.title = run.name + (isOver ? "" : " – running");
    byId("title").textContent = run.name;
    say((isOver ? run.end : "running") + " – " + seconds(run.duration)
      + (run.virtual ? " of virtual time" : "") + (run.seed ? ", seed " + run.seed : "")
      + ", " + run.workers + (run.workers === 1 ? " worker" : " workers"));
    showSums();
    showTables();
    drawLoad();
    fill(before);
  }
  const sums = new Map();
  function sum(label, value, isBad) {
    let number = sums.get(label);
    if (!number) {
      const box = element("div", undefined, byId("sums"));
      element("dt", label, box);
      number = element("dd", "", box);
      sums.set(label, number);
    }
    number.textContent = value;
    number.className = isBad ? "bad" : "";
  }
  function showSums() {
    const c = last.counts, finished = c.succeeded + c.failed + c.cancelled + c.skipped;
    sum("added", c.added);
    sum("ready", c.ready);
    sum("running", c.running);
    if (c.retrying) sum("wait for a retry", c.retrying);
    sum("succeeded", c.succeeded);
    sum("failed", c.failed, c.failed > 0);
    if (c.cancelled) sum("cancelled", c.cancelled);
    if (c.skipped) sum("skipped", c.skipped);
    sum("finished a second", isOver ? Math.round(finished * 1e9 / Math.max(1, run.duration)) : last.rate);
    sum(isOver ? "wall time" : "elapsed", seconds(run.duration));
  }

  // Rows are kept by key, so that a button stays the same while numbers change.
  function table(id, heads, items, keyOf, cells, button) {
    const target = byId(id);
    if (!target.rows.length) {
      const head = element("tr", undefined, element("thead", undefined, target));
      heads.forEach(text => element("th", text, head).scope = "col");
      element("tbody", undefined, target);
      target.kept = new Map();
    }
    const body = target.tBodies[0], seen = new Set();
    items.forEach((item, place) => {
      const key = String(keyOf(item));
      seen.add(key);
      let row = target.kept.get(key);
      if (!row) {
        row = element("tr");
        heads.forEach(() => element("td", "", row));
        target.kept.set(key, row);
        if (button) {
          const made = element("button", "", row.lastChild);
          made.onclick = () => button(row.item, made);
        }
      }
      row.item = item;
      const texts = cells(item);
      texts.forEach((text, i) => {
        const cell = button && i === heads.length - 1 ? row.lastChild.firstChild : row.children[i];
        if (cell.textContent !== String(text)) cell.textContent = text;
        if (cell !== row.children[i]) cell.hidden = !text || isOver;
      });
      if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] || null);
    });
    for (const [key, row] of target.kept)
      if (!seen.has(key)) { row.remove(); target.kept.delete(key); }
  }
  function showTables() {
    byId("queueText").hidden = last.queueCount <= last.queues.length;
    byId("queueText").textContent = "The " + last.queues.length + " longest of " + last.queueCount + " queues.";
    table("queues", ["queue", "width", "unfinished", "running", ""], last.queues, q => q.queue,
      q => [q.name + (q.suspended ? " (suspended)" : ""), q.width === undefined ? "–" : q.width, q.length,
        q.running, q.stoppable ? (q.suspended ? "Resume" : "Suspend") : ""],
      (q, button) => order((q.suspended ? "resume" : "suspend"), "&queue=" + q.queue, button));
    byId("runningText").hidden = last.counts.running <= last.running.length;
    byId("runningText").textContent = "The " + last.running.length + " that have run longest of "
      + last.counts.running + ".";
    table("running", ["operation", "queue", "on", "for", ""], last.running, r => r[0],
      r => [r[4] + " #" + r[0], queueName(r[1]), r[2], seconds(run.duration - r[3]), "Cancel"],
      (r, button) => order("cancel", "&operation=" + r[0], button));
    table("works", ["work", "count", "failed", "total", "mean", "longest"], last.works, w => w.name,
      w => [w.name, w.count, w.failed, seconds(w.total), seconds(Math.round(w.total / w.count)),
        seconds(w.longest)]);
    const now = new Map(last.running.map(r => [r[2], r]));
    const busy = w => w.busy + (now.has(w.name) ? run.duration - now.get(w.name)[3] : 0);
    table("workers", ["", "operations", "busy", "of the run", "now"], workers(), w => w.name,
      w => [w.name, w.count, seconds(busy(w)), Math.round(100 * busy(w) / Math.max(1, run.duration)) + " %",
        now.has(w.name) ? now.get(w.name)[4] : ""]);
  }
  // Those that have ended something, and those that run their first operation.
  function workers() {
    const list = last.workers.slice(), known = new Set(list.map(w => w.name));
    for (const r of last.running)
      if (r[2] !== "none" && !known.has(r[2])) {
        known.add(r[2]);
        list.push({ name: r[2], count: 0, busy: 0 });
      }
    return list;
  }
  function queueName(queue) {
    const found = last.queues.find(q => q.queue === queue);
    return found ? found.name : queue < 0 ? "" : "#" + queue;
  }
  function showFailure(failure) {
    const section = byId("failures");
    section.hidden = false;
    const box = element("details", undefined, section);
    const head = element("summary", undefined, box);
    element("strong", failure.name, head).className = failure.handled ? "" : "bad";
    head.append(" " + failure.place + " after " + seconds(failure.moment)
      + (failure.handled ? ", handled by the script" : ""));
    element("pre", failure.message, box);
    if (failure.traceback) element("pre", failure.traceback, box);
    while (section.children.length > 201) section.children[1].remove();
  }

  // MARK: Pictures

  function fill(before) {
    const names = new Map(), lanes = new Map();
    const number = data.number[timeline.state().selected];
    const keys = ["number", "name", "group", "queue", "lane", "outcome", "start", "length"];
    for (const key of keys) data[key] = [];
    data.names = [];
    data.queues = [];
    for (const q of last.queues) data.queues[q.queue] = q;
    const all = spans.map(s => [s, s[3], s[4]])
      .concat(isOver ? [] : last.running.map(r => [[r[0], r[1], r[2], r[3], 0, -1, r[4]], r[3],
        Math.max(0, run.duration - r[3])]));
    all.sort((a, b) => a[1] - b[1] || a[0][0] - b[0][0]);
    for (const [span, start, length] of all) {
      const [name, group] = [span[6], span[7] || span[6]].map(text => {
        if (!names.has(text)) { names.set(text, data.names.length); data.names.push(text); }
        return names.get(text);
      });
      data.number.push(span[0]);
      data.name.push(name);
      data.group.push(group);
      data.queue.push(span[1]);
      if (span[1] >= 0 && !data.queues[span[1]]) data.queues[span[1]] = { name: "#" + span[1] };
      data.outcome.push(span[5]);
      data.start.push(start);
      data.length.push(length);
      // The span is drawn on the first line of its runner on which no other span overlaps it.
      if (!lanes.has(span[2])) lanes.set(span[2], []);
      const lines = lanes.get(span[2]);
      let line = lines.findIndex(until => until <= start);
      if (line < 0) { line = lines.length; lines.push(0); }
      lines[line] = start + length;
      data.lane.push([span[2], line]);
    }
    const rank = name => name === "script thread" ? 0 : name.startsWith("worker ") ? Number(name.slice(7))
      : name === "elsewhere" ? 1e6 : 1e7;
    const first = new Map();
    data.lanes = [];
    for (const name of [...lanes.keys()].sort((a, b) => rank(a) - rank(b))) {
      first.set(name, data.lanes.length);
      const count = lanes.get(name).length, shown = name === "none" ? "groups and gates" : name;
      for (let line = 0; line < Math.min(64, count); line++)
        data.lanes.push(count > 1 ? shown + " " + (line + 1) : shown);
    }
    data.lane = data.lane.map(([name, line]) => line < 64 ? first.get(name) + line : -1);
    data.count = data.number.length;
    timeline.grow(before, number === undefined ? -1 : data.number.indexOf(number));
  }
  function drawLoad() {
    const canvas = byId("load"), ratio = window.devicePixelRatio || 1;
    const width = Math.max(300, byId("sums").clientWidth), height = 90;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.body);
    const scale = width / Math.max(1, run.duration), floor = height - 2;
    const mostRunning = load.reduce((most, sample) => Math.max(most, sample[1]), 1);
    const rate = (s, last) => (s[3] - last[3]) * 1e9 / Math.max(1, s[0] - last[0]);
    // Over a tenth of a second at least: two samples may be close together.
    const rates = [];
    let last = load[0];
    for (const sample of load.slice(1)) {
      if (rates.length && sample[0] - last[0] < 1e8) continue;
      rates.push([sample[0], rate(sample, last)]);
      last = sample;
    }
    const mostRate = rates.reduce((most, r) => Math.max(most, r[1]), 1);
    context.fillStyle = "#3b73b9";
    context.globalAlpha = 0.35;
    context.beginPath();
    context.moveTo(0, floor);
    const level = share => floor - (floor - 14) * share;
    for (const sample of load) context.lineTo(sample[0] * scale, level(sample[1] / mostRunning));
    context.lineTo(load.length ? load[load.length - 1][0] * scale : 0, floor);
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = style.color;
    context.beginPath();
    rates.forEach((r, i) => context[i ? "lineTo" : "moveTo"](r[0] * scale, level(r[1] / mostRate)));
    context.stroke();
    context.fillStyle = style.color;
    context.font = "12px system-ui, sans-serif";
    context.fillText("at most " + mostRunning + " running, " + Math.round(mostRate) + " a second", 4, 11);
  }

  // MARK: Orders

  async function order(path, more, button) {
    button.disabled = true;
    try {
      const answer = await fetch(address(path, more), { method: "POST" });
      note(answer.ok ? "" : await answer.text());
    } catch (error) {
      note("the order did not arrive: " + error.message);
    }
    button.disabled = path === "cancelRun" && !byId("note").textContent;
  }
  byId("cancelRun").onclick = event => order("cancelRun", "", event.target);

  connect();
  return { data, timeline, order, get last() { return last; }, get messages() { return messages; },
    get isOver() { return isOver; }, get source() { return source; } };
})();
window.opscript = live;
