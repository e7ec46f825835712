-- An operation that the script sees as unfinished can still be cancelled, also inside a group, and at the moment at which it ends.
-- arguments: --virtual
local members = {
    work = function() return work.sleep(0.003) end,
    body = function() return Operation(function() sleep(0.003) end) end,
    block = function() return BlockOperation(function() return await(work.sleep(0.003)) end) end,
    deferred = function()
        return Operation { start = function(op) Timer.scheduledTimer { interval = 0.003, block = function() op:finish() end } end }
    end,
}
local wraps = {
    alone = function(member) return member end,
    group = function(member) return GroupOperation { member } end,
    nested = function(member) return GroupOperation { GroupOperation { member }, work.sleep(0.001) } end,
    beside = function(member)
        local after = work.sleep(0.001)
        after:addDependency(member, "finished")
        return GroupOperation { member, after, work.sleep(0.01) }
    end,
}
local cancellers = {
    operation = function(root) root:cancel() end,
    queue = function(_, queue) queue:cancelAllOperations() end,
}
local queues = {
    main = function() return OperationQueue.main end,
    serial = function() return OperationQueue { maxConcurrentOperationCount = 1 } end,
}
local count, atTheEnd = 0, 0

local function try(name, make, wrap, cancel, queue, isTimerFirst)
    local member = make()
    local root = wrap(member)
    local wasUnfinished, timer
    local function start()
        timer = Timer.scheduledTimer { interval = 0.003, block = function()
            timer:invalidate()
            wasUnfinished = not member.isFinished
            cancel(root, queue)
            assert(not wasUnfinished or member.isCancelled, name .. ": it is not cancelled at once")
        end }
    end
    if isTimerFirst then start() end
    queue:addOperation(root)
    if not isTimerFirst then start() end
    sleep(0.05)
    assert(member.isFinished and root.isFinished, name .. ": it has not ended")
    local expected = wasUnfinished and "cancelled" or "succeeded"
    assert(member.outcome == expected, name .. ": " .. member.outcome)
    count = count + 1
    if wasUnfinished then atTheEnd = atTheEnd + 1 end
end

for memberName, make in pairs(members) do
    for wrapName, wrap in pairs(wraps) do
        for cancelName, cancel in pairs(cancellers) do
            for queueName, queue in pairs(queues) do
                for _, isTimerFirst in ipairs { true, false } do
                    local name = table.concat({ memberName, wrapName, cancelName, queueName, tostring(isTimerFirst) }, " ")
                    try(name, make, wrap, cancel, queue(), isTimerFirst)
                end
            end
        end
    end
end
assert(count == 128 and atTheEnd > 50, atTheEnd)

-- The same if the group will be skipped because of an end that the script does not see yet.
local failing = {
    body = function() return Operation(function() sleep(0.003) error "by plan" end) end,
    timeout = function()
        local late = work.sleep(1)
        late.timeout = 0.003
        return late
    end,
    group = function() return GroupOperation { Operation(function() sleep(0.003) error "by plan" end) } end,
}
for failingName, make in pairs(failing) do
    for wrapName, wrap in pairs(wraps) do
        for cancelName, cancel in pairs(cancellers) do
            for _, isAddedBefore in ipairs { true, false } do
                for _, isTimerFirst in ipairs { true, false } do
                    local name = table.concat({ failingName, wrapName, cancelName, tostring(isAddedBefore), tostring(isTimerFirst) }, " ")
                    local failure, member, queue = make(), work.sleep(0.001), OperationQueue()
                    local root = wrap(member)
                    failure.allowsFailure = true
                    root:addDependency(failure)
                    local wasUnfinished
                    local function start()
                        Timer.scheduledTimer { interval = 0.003, repeats = false, block = function()
                            if not isAddedBefore then queue:addOperation(root) end
                            wasUnfinished = not root.isFinished
                            cancel(root, queue)
                            assert(not wasUnfinished or member.isCancelled and root.isCancelled, name .. ": it is not cancelled at once")
                        end }
                    end
                    if isTimerFirst then start() end
                    OperationQueue.default:addOperation(failure)
                    if isAddedBefore then queue:addOperation(root) end
                    if not isTimerFirst then start() end
                    sleep(0.05)
                    assert(member.isFinished and root.isFinished, name .. ": it has not ended")
                    if wasUnfinished then assert(root.outcome == "cancelled", name .. ": " .. root.outcome) end
                end
            end
        end
    end
end
