-- A name, fields, dependencies, a completion block, a queue and a result are kept beside each other, however many of them there are.
local function check(make, result)
    local queue = OperationQueue { name = "kept" }
    local first, second = Operation(function() end), Operation(function() end)
    local op = make()
    local called = 0
    local function completed(self)
        called = called + 1
        assert(self == op and self.result == result)
    end
    op.completionBlock = completed
    op:addDependency(first)
    op.name = "all of them"
    op.userInfo = { 1 }
    op.timeout = 60
    op:addDependency(second)
    assert(op.completionBlock == completed and #op.dependencies == 2 and op.name == "all of them")
    queue:addOperations({ op, first, second }, true)
    assert(called == 1 and op.completionBlock == nil)
    assert(op.queue == queue and op.queue.name == "kept")
    assert(op.name == "all of them" and op.userInfo[1] == 1 and op.timeout == 60)
    assert(#op.dependencies == 2 and op.dependencies[1] == first and op.dependencies[2] == second)
    assert(op.result == result, op.result)
    collectgarbage()
    -- Removed values leave room for new ones.
    op.name = nil
    op.completionBlock = completed
    await(Operation(function() end))
    assert(called == 2 and op.result == result and op.queue == queue)
    op.name = "again"
    assert(op.name == "again" and op.userInfo[1] == 1)
end

check(function() return work.json.encode { 1, 2 } end, "[1,2]")
check(function() return work.compute.primes(10) end, 4)
check(function() return Operation(function() return "returned" end) end, "returned")
