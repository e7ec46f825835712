-- The size of a device is not known before it is read.
local isFine, problem = pawait(work.file.read("/dev/zero", { limit = 1 << 40 }))
assert(not isFine and problem.code == "limit", tostring(problem))
print "end"
