-- Two bodies wait for each other while something else still moves, and the time of one is over.
local first, second
first = Operation { name = "first", main = function() await(second) end }
second = Operation { name = "second", timeout = 0.5, main = function() await(first) end }
OperationQueue.default:addOperation(work.sleep(2))
local ok, problem = pawait(second)
assert(not ok and problem.code == "timeout", tostring(problem))
assert(problem.message == "'second' timed out after 0.5 s", problem.message)
