-- At its end, in this order: completion block, waiters, Lua bodies that it released; even if the operation is a work.
local queue = OperationQueue()
for round = 1, 50 do
    local log = {}
    local function body(name)
        return Operation { name = name, main = function() log[#log + 1] = name end }
    end
    local a, b, c, d = work.compute.primes(10), body "b", body "c", body "d"
    b:addDependency(a)
    a.completionBlock = function() log[#log + 1] = "completion" end
    queue:addOperations { a, b, c, d }
    async(function() await(a) log[#log + 1] = "waiter" end)
    queue:waitUntilAllOperationsAreFinished()
    local place = {}
    for index, name in ipairs(log) do place[name] = index end
    assert(place.completion < place.b, table.concat(log, " "))
    assert(not place.waiter or place.completion < place.waiter, table.concat(log, " "))
end
