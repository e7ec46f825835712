-- As many arguments as a stack takes arrive; of results an operation keeps 32 767, and more are an error.
assert(select("#", shield(function(...) return ... end, table.unpack({}, 1, 70000))) == 70000)
local ok, problem = pawait(Operation(function() return table.unpack({}, 1, 40000) end))
assert(not ok and problem.message:find("returned 40000 results"), problem)
