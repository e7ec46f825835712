-- A wait for a work that is held and never released is a deadlock with this reason.
-- arguments: --virtual
hold("sleep")
local ok, problem = pcall(function() await(work.sleep(1)) end)
assert(not ok and problem.code == "deadlock", problem)
assert(problem.message:find("'sleep' is held on purpose, and nothing is left that could release it", 1, true), problem.message)
release("sleep")
