-- A group cannot be tried again, since an operation runs once: `retry` of a group is refused.
local ok, problem = pcall(GroupOperation, { function() end, retry = { attempts = 3 } })
assert(not ok and problem.code == "misuse" and problem.message:find("set 'retry' of the operations in it", 1, true), problem)
local group = GroupOperation { function() end }
assert(not pcall(function() group.retry = { attempts = 2 } end) and group.retry == nil)
await(group)
