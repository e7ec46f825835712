-- An effect of a call that also follows from an end elsewhere is not visible before that end.
-- arguments: --virtual
local enders = {
    work = function() return work.sleep(0.003) end,
    body = function() return Operation(function() sleep(0.003) end) end,
    failure = function() return Operation(function() sleep(0.003) error "broken" end) end,
    block = function() return BlockOperation(function() return await(work.sleep(0.003)) end) end,
    group = function() return GroupOperation { work.sleep(0.003) } end,
    deferred = function()
        return Operation { start = function(op) Timer.scheduledTimer { interval = 0.003, block = function() op:finish() end } end }
    end,
}
local conditions = { "succeeded", "finished", "failed" }
-- Each makes an operation that follows from `ender` and from the call that it returns.
local calls = {
    finish = function(ender, condition)
        local gate, op = Gate "gate", Operation(function() end)
        op:addDependency(gate)
        op:addDependency(ender, condition)
        return op, function() gate:finish() end
    end,
    twoCalls = function(ender, condition)
        local first, second, op = Gate "first", Gate "second", Operation(function() end)
        op:addDependency(ender, condition)
        op:addDependency(first)
        op:addDependency(second)
        return op, function() first:finish() second:finish() end
    end,
    remove = function(ender, condition)
        local gate, op = Gate "gate", Operation(function() end)
        op:addDependency(ender, condition)
        op:addDependency(gate)
        return op, function() op:removeDependency(gate) gate:finish() end
    end,
    add = function(ender, condition)
        local op = Operation(function() end)
        return op, function() op:addDependency(ender, condition) end
    end,
    submit = function(ender, condition, queue)
        local op, last = Operation(function() end), Operation(function() end)
        op:addDependency(ender, condition)
        last:addDependency(op)
        return op, function()
            queue:addOperation(op)
            OperationQueue.main:addOperation(last)
            last.allowsFailure = true
            assert(op.isFinished or not last.isFinished and not last.isReady)
        end
    end,
    -- The decision is open as long as the operation is pending.
    weaken = function(ender, condition)
        local op = Operation(function() end)
        return op, function()
            if not ender.isFinished then op:addDependency(ender, condition == "succeeded" and "failed" or "succeeded") end
            op:addDependency(ender, condition)
        end
    end,
    more = function(ender, condition)
        local gate, op = Gate "gate", Operation(function() end)
        return op, function()
            op:addDependency(ender, condition)
            if not op.isFinished then op:addDependency(gate) end
            assert(not op.isReady or op.isFinished)
            gate:finish()
        end
    end,
    chain = function(ender, condition)
        local gate, op, last = Gate "gate", Operation(function() end), Operation(function() end)
        op:addDependency(gate)
        op:addDependency(ender, condition)
        last:addDependency(op, "finished")
        OperationQueue.main:addOperation(last)
        return op, function() gate:finish() assert(not last.isReady) end
    end,
}
local isSuspended = { free = false, suspended = true }
local count, unseen = 0, 0

local function try(name, make, condition, call, suspended, isTimerFirst)
    local ender = make()
    ender.allowsFailure = true
    local queue = OperationQueue { isSuspended = true }
    local op, act = call(ender, condition, queue)
    op.allowsFailure = true
    local timer
    local function check()
        local isDecided = op.isReady and op.state == "ready" or op.state == "executing" or op.isFinished
        assert(ender.isFinished or not isDecided, name .. ": " .. op.state .. " before its dependency has finished")
        assert(not ender.isFinished or op.isReady or op.isFinished, name .. ": not ready")
    end
    local function start()
        timer = Timer.scheduledTimer { interval = 0.003, block = function()
            timer:invalidate()
            act()
            if not ender.isFinished then unseen = unseen + 1 end
            check()
            queue.isSuspended = suspended
            check()
            op:observe("isReady", check)
            op:observe("isFinished", check)
        end }
    end
    if call ~= calls.submit then queue:addOperation(op) end
    if isTimerFirst then start() end
    OperationQueue.default:addOperation(ender)
    if not isTimerFirst then start() end
    sleep(0.05)
    check()
    queue.isSuspended = false
    queue:waitUntilAllOperationsAreFinished()
    local runs = condition == "finished" or (condition == "failed") == (ender.outcome == "failed")
    assert(op.outcome == (runs and "succeeded" or "skipped"), name .. ": " .. op.outcome)
    count = count + 1
end

for enderName, make in pairs(enders) do
    for _, condition in ipairs(conditions) do
        for callName, call in pairs(calls) do
            for heldName, suspended in pairs(isSuspended) do
                for _, isTimerFirst in ipairs { true, false } do
                    local name = table.concat({ enderName, condition, callName, heldName, tostring(isTimerFirst) }, " ")
                    try(name, make, condition, call, suspended, isTimerFirst)
                end
            end
        end
    end
end
assert(count == 576 and unseen > 100, unseen)

-- A group ends only once all in it have: the script's own end of one does not show the unseen end of another.
unseen = 0
for enderName, make in pairs(enders) do
    for _, isTimerFirst in ipairs { true, false } do
        local ender, own = make(), Operation { start = function() end }
        ender.allowsFailure = true
        local group = GroupOperation { ender, own }
        local outer = GroupOperation { group }
        outer.allowsFailure, group.allowsFailure = true, true
        local function check()
            assert(ender.isFinished or not group.isFinished, enderName .. ": the group has finished before it")
            assert(group.isFinished or not outer.isFinished, enderName .. ": the outer group has finished before it")
        end
        local function start()
            Timer.scheduledTimer { interval = 0.003, repeats = false, block = function()
                own:finish()
                if not ender.isFinished then unseen = unseen + 1 end
                check()
            end }
        end
        group.completionBlock, outer.completionBlock = check, check
        if isTimerFirst then start() end
        OperationQueue.default:addOperation(outer)
        if not isTimerFirst then start() end
        sleep(0.05)
        check()
        assert(outer.isFinished)
    end
end
assert(unseen >= 6, unseen)
