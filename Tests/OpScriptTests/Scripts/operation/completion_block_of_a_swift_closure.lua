-- Completion blocks run on the script thread, also for Swift closures.
local list = {}
local op = work.json.decode("[1]")
op.completionBlock = function(done) list[#list + 1] = done.result[1] end
await(op)
assert(#list == 1 and list[1] == 1)
