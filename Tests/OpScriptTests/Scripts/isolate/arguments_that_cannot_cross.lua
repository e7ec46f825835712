-- Arguments are copied and checked when the isolate is called.
local run = isolate(function(...) return ... end)
local ok, message = pcall(run, 1, print)
assert(not ok and message.code == "argument", tostring(message))
assert(message:find("bad argument #2 to 'isolate' (a function cannot leave the script thread)", 1, true), tostring(message))
local ok, message = pcall(run, { deep = { OperationQueue() } })
assert(not ok and message:find("field 'deep[1]': OperationQueue cannot leave the script thread", 1, true), tostring(message))
local cycle = {}
cycle.self = cycle
assert(not pcall(run, cycle))
for _, bad in ipairs { 1, "x", {}, print, true } do assert(not pcall(isolate, bad)) end
assert(not pcall(isolate))
local again = isolate(run)
assert(await(again(7)) == 7)
assert(select(2, pcall(function() return run.name end)):find("an isolate has no properties", 1, true))
