-- A wait of an operation for an operation that needs its own slot, resource or turn names the whole chain.
local function told(sentence, ok, problem)
    assert(not ok and problem.code == "deadlock", problem)
    assert(problem:find(sentence, 1, true), problem)
end
local queue = OperationQueue { name = "io", maxConcurrentOperationCount = 1 }
local inner = Operation { name = "inner", main = function() return 1 end }
local outer = Operation { name = "outer", main = function()
    queue:addOperation(inner)
    told("this wait is inside 'outer', which 'outer' itself is waiting for: 'outer' waits for 'inner'; "
        .. "'inner' waits for a slot of queue 'io' (maxConcurrentOperationCount 1), which 'outer' holds",
        pcall(inner.waitUntilFinished, inner))
    told("'outer' waits for queue 'io', in which 'outer' has not finished",
        pcall(queue.waitUntilAllOperationsAreFinished, queue))
end }
queue:addOperation(outer)
await(outer)

OperationQueue.setResource("printer", 1)
local wide = OperationQueue { name = "wide" }
local second = Operation { name = "second", main = function() end, resources = { printer = 1 } }
local behind = Operation { name = "behind", main = function() end, dependencies = { second } }
await(wide:addOperation(Operation { name = "first", resources = { printer = 1 }, main = function()
    wide:addOperations { second, behind }
    told("'first' waits for 'behind'; 'behind' depends on 'second'; "
        .. "'second' waits for the resource 'printer', which 'first' holds", pcall(behind.waitUntilFinished, behind))
end }))

-- Two serial queues whose bodies wait for each other.
local left, right = DispatchQueue { label = "left" }, DispatchQueue { label = "right" }
local problems = {}
local function cross(mine, other)
    return mine:async(function()
        sleep(0)
        local ok, problem = pcall(other.sync, other, function() end)
        problems[#problems + 1] = problem
    end)
end
await.all { cross(left, right), cross(right, left) }
assert(#problems == 1, "one wait is ended, and then the other one can end")
assert(problems[1]:find("in queue 'left'", 1, true) and problems[1]:find("in queue 'right'", 1, true), problems[1])
assert(problems[1]:find("the_slot_and_the_chain_are_named.lua:3", 1, true), problems[1])

-- A chain that ends elsewhere: the reason, and then its waiters.
local held = OperationQueue { name = "held" }
held.isSuspended = true
local bottom = held:addOperation(Operation { name = "bottom", main = function() end })
local middle = Operation { name = "middle", main = function() end, dependencies = { bottom } }
wide:addOperation(middle)
told("queue 'held' is suspended and nothing is left that could resume it: 'middle' depends on 'bottom'",
    pcall(await, middle))
held.isSuspended = false
await(middle)
