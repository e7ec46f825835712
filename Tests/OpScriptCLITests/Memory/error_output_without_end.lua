-- Captured standard error, with a limit above all memory.
local isFine, problem = pawait(work.process.shell("yes >&2", { limit = 1 << 40 }))
assert(not isFine and problem.code == "limit", tostring(problem))
print "end"
