"use strict";
const byId = id => document.getElementById(id);
const outcomes = ["succeeded", "failed", "cancelled", "skipped"];

function seconds(ns) {
  if (ns < 1e3) return ns + " ns";
  if (ns < 1e6) return +(ns / 1e3).toFixed(1) + " µs";
  if (ns < 1e9) return +(ns / 1e6).toFixed(1) + " ms";
  if (ns < 60e9) return +(ns / 1e9).toFixed(2) + " s";
  const s = Math.floor(ns / 1e9);
  return s < 3600 ? Math.floor(s / 60) + " min " + s % 60 + " s"
    : Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
}
function element(name, text, parent) {
  const result = document.createElement(name);
  if (text !== undefined) result.textContent = text;
  if (parent) parent.appendChild(result);
  return result;
}
function nameOf(op) { return data.name[op] < 0 ? "operation" : data.names[data.name[op]]; }
