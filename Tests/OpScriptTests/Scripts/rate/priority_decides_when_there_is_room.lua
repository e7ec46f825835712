-- arguments: --virtual
-- An operation is chosen when it may start: priorities, suspension, barriers and cancellations count as without a rate.
local queue = OperationQueue { rate = { 1, per = 10 } }
local order = {}
local function add(name, priority)
    local made = Operation { name = name, queuePriority = priority, main = function()
        order[#order + 1] = name .. " " .. clock.now()
    end }
    return queue:addOperation(made)
end
local begin = clock.now()
assert(begin == 0)
add "first"
sleep(0)
local low, gone = add("low", "low"), add "gone"
add("high", "high")
sleep(1)
gone:cancel()
gone:waitUntilFinished()
assert(clock.now() == 1 and gone.outcome == "cancelled" and low.state == "ready", "a cancelled one needs no start")
sleep(14)
-- Since 10.0, when 'high' started.
low.queuePriority = "veryHigh"
queue.isSuspended = true
sleep(20)
assert(low.state == "ready")
queue.isSuspended = false
queue:addBarrierBlock(function() order[#order + 1] = "barrier " .. clock.now() end)
add "last"
queue:waitUntilAllOperationsAreFinished()
local text = table.concat(order, ", ")
assert(text == "first 0.0, high 10.0, low 35.0, barrier 45.0, last 55.0", text)
