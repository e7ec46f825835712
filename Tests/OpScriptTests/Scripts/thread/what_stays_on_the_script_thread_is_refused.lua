-- A thread that is to call a method of a script's object is refused, with the replacement.
local worker = { count = 0 }
function worker:run() self.count = self.count + 1 end
local function refused(...)
    local ok, problem = pcall(...)
    assert(not ok and problem.code == "argument", problem)
    assert(problem:find("stay on the script thread", 1, true) and problem:find("async(function()", 1, true), problem)
    assert(problem:find("isolate(fn)", 1, true), problem)
end
refused(Thread, { target = worker, selector = "run" })
refused(Thread, { block = worker.run })
refused(Thread.detach, worker, "run")

-- The replacement: the method on the script thread, or a function that gets its data as arguments.
async(function() worker:run() end)
local Count = Operation:subclass "Count"
function Count:start()
    local thread = Thread.detach(isolate(function(n) return n * 2 end), 21)
    async(function() self:finish(thread:join()) end)
end
assert(await(Count()) and worker.count == 1)
