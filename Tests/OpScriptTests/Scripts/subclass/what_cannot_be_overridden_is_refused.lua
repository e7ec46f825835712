-- Redefining a member that the engine keeps is refused at the definition, with the member to use instead.
local Copy = Operation:subclass "Copy"
function Copy:main() end
local function refused(key, remedy)
    local ok, problem = pcall(function() Copy[key] = function() return true end end)
    assert(not ok, key)
    assert(problem.code == "misuse" and problem:find(remedy, 1, true), problem)
    assert(problem:find("'" .. key .. "' cannot be overridden in 'Copy'", 1, true), problem)
    assert(problem:find("what_cannot_be_overridden_is_refused.lua:5:", 1, true), problem)
end
refused("cancel", "'cancelled'")
refused("isReady", "Gate")
refused("isExecuting", "self:finish(")
refused("isFinished", "self:finish(")
refused("isCancelled", "self:cancel()")
refused("isAsynchronous", "'start'")
refused("isConcurrent", "'start'")
refused("waitUntilFinished", "completionBlock")
refused("timeout", "'init'")
refused("addDependency", "every operation has its own")
refused("finish", "every operation has its own")

-- A subclass of the subclass, and one operation, do not avoid this.
local ok, problem = pcall(function() local Deep = Copy:subclass "Deep"; function Deep.isReady() end end)
assert(not ok and problem:find("in 'Deep'", 1, true), problem)
local copy = Copy {}
ok, problem = pcall(function() copy.cancel = print end)
assert(not ok and problem.code == "misuse" and problem:find("'cancel' of Copy cannot be set", 1, true), problem)
ok, problem = pcall(function() copy.main = print end)
assert(not ok and problem:find("function Copy:main(...)", 1, true), problem)

-- Hooks, and members of the script's own, are free; also under other names than strings.
function Copy:init() self.wasTold = false end
function Copy:greet() return "hello" end
Copy[1], Copy.limit = "one", 7
local other = Copy {}
assert(other.wasTold == false and other:greet() == "hello" and other.limit == 7 and Copy[1] == "one")
Copy.limit = nil
assert(other.limit == nil)
ok, problem = pcall(function() Copy[0 / 0] = 1 end)
assert(not ok and problem:find("NaN", 1, true), problem)

-- The base class does not avoid this either; names of the script's own are free there, too.
for _, key in ipairs { "cancel", "isReady", "main", "start" } do
    ok, problem = pcall(function() Operation[key] = print end)
    assert(not ok and problem.code == "misuse", problem)
end
function Operation.helper() return 7 end
assert(Operation.helper() == 7 and Copy.helper() == 7)
