const data = JSON.parse(document.getElementById("data").textContent);
const run = data.run, profile = data.profile;
// Earlier attempts are further bars of the timeline, after the operations.
for (const [op, lane, start, length] of data.earlier) {
  for (const key of ["name", "group", "place", "queue"]) data[key].push(data[key][op]);
  for (const key of ["attempts", "added", "toReady", "toStart", "cause", "by"]) data[key].push(-1);
  data.outcome.push(1);
  data.lane.push(lane);
  data.start.push(start);
  data.length.push(length);
}

function share(ns) { return run.duration ? Math.round(100 * ns / run.duration) + " %" : ""; }

document.title = run.name;
byId("title").textContent = run.name;
byId("subtitle").textContent = run.end + " – " + seconds(run.duration)
  + (run.virtual ? " of virtual time" : "") + (run.seed ? ", seed " + run.seed : "")
  + ", " + run.workers + (run.workers === 1 ? " worker" : " workers");
if (run.early) {
  byId("note").hidden = false;
  byId("note").textContent = "This run ended early: " + run.end + ".";
}
if (profile.advice) {
  byId("advice").hidden = false;
  byId("advice").textContent = profile.advice;
}
function sum(label, value, isBad) {
  const box = element("div", undefined, byId("sums"));
  element("dt", label, box);
  const number = element("dd", value, box);
  if (isBad) number.className = "bad";
}
sum("operations", data.count);
outcomes.forEach((name, i) => sum(name, profile.outcomes[i], i === 1 && profile.outcomes[i] > 0));
if (profile.outcomes[4]) sum("not ended", profile.outcomes[4]);
sum("wall time", seconds(run.duration));
sum("critical path", seconds(profile.pathRunning) + " running");
sum("bound", seconds(profile.bound));

function table(id, caption, heads, rows) {
  const target = byId(id);
  element("caption", caption, target);
  const head = element("tr", undefined, element("thead", undefined, target));
  heads.forEach(text => element("th", text, head).scope = "col");
  const body = element("tbody", undefined, target);
  for (const row of rows) {
    const line = element("tr", undefined, body);
    row.forEach(cell => element("td", cell, line));
  }
}
const programs = profile.works.some(w => w.memory);
table("works", "By total time.", ["work", "count", "failed", "total", "mean", "longest"]
    .concat(programs ? ["processors of programs", "most memory of one"] : []),
  profile.works.slice(0, 500).map(w => [w.name, w.count, w.failed, seconds(w.total), seconds(w.mean),
    seconds(w.longest)].concat(!programs ? [] : w.memory
      ? [seconds(w.processors), (w.memory / 1e6).toFixed(1) + " MB"] : ["", ""])));
table("waiting", "The causes of waits between addition and start, summed over all operations.",
  ["cause", "operations", "total", "on the critical path"],
  profile.waiting.map(w => [w.cause, w.count, seconds(w.total), seconds(w.onPath)]));
table("runners", "The use of each runner.", ["", "operations", "busy", "of the run"],
  profile.runners.map(r => [r.name, r.count, seconds(r.busy), share(r.busy)]));
const waited = {};
for (const [cause, , from, to] of data.path)
  if (cause >= 0) waited[data.causes[cause]] = (waited[data.causes[cause]] || 0) + to - from;
byId("pathText").textContent = "Running " + seconds(profile.pathRunning)
  + Object.keys(waited).map(c => ", waiting " + seconds(waited[c]) + " (" + c + ")").join("")
  + ". Its pieces add up to " + seconds(data.path.reduce((t, p) => t + p[3] - p[2], 0))
  + ". No machine is faster than the longest chain of dependencies: " + seconds(profile.bound) + ".";
table("path", data.path.length > 1000 ? "The longest thousand pieces, in the order of time." : "",
  ["what", "from", "for"],
  data.path.map((p, i) => [p, i]).sort((a, b) => b[0][3] - b[0][2] - (a[0][3] - a[0][2]))
    .slice(0, 1000).sort((a, b) => a[1] - b[1]).map(([[cause, op, from, to]]) => [
      (cause < 0 ? "" : "waiting (" + data.causes[cause] + ")" + (op < 0 ? "" : ": "))
        + (op < 0 ? "" : nameOf(op) + " #" + op), seconds(from), seconds(to - from)]));
const failures = data.failures.filter(f => !f.handled).concat(data.failures.filter(f => f.handled));
if (failures.length) {
  const section = byId("failures");
  section.hidden = false;
  for (const failure of failures.slice(0, 1000)) {
    const box = element("details", undefined, section);
    if (section.children.length <= 4 && !failure.handled) box.open = true;
    const head = element("summary", undefined, box);
    element("strong", failure.name, head).className = failure.handled ? "" : "bad";
    head.append(" " + failure.place + " after " + seconds(failure.moment)
      + (failure.handled ? ", handled by the script" : ""));
    element("pre", failure.message, box);
    if (failure.traceback) element("pre", failure.traceback, box);
  }
  if (failures.length > 1000) element("p", "… and " + (failures.length - 1000) + " more", section);
}
