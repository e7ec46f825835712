-- The traceback of an error is that of its own raise, not that of an earlier error that was caught.
pcall(coroutine.wrap(function() error "first" end))
local ok, problem = pcall(function() await(Gate "g") end)
assert(not ok and problem.code == "deadlock")
assert(problem.traceback:find("handled_error_leaves_no_traceback.lua:3:", 1, true), problem.traceback)
assert(not problem.traceback:find("lua:2:", 1, true), problem.traceback)
coroutine.resume(coroutine.create(function() error "second" end))
ok, problem = pcall(function() await(Gate "h") end)
assert(problem.traceback:find("lua:8:", 1, true) and not problem.traceback:find("lua:7:", 1, true), problem.traceback)
