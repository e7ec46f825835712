-- userInfo takes any value and is kept as long as the queue, even if only a timer or a source holds the queue.
local queue = OperationQueue { name = "q", userInfo = { 1 } }
assert(queue.userInfo[1] == 1)
queue.userInfo = { queue }
assert(queue.userInfo[1] == queue)
queue.userInfo = nil
assert(queue.userInfo == nil)
OperationQueue.main.userInfo = "main"
OperationQueue.default.userInfo = "default"
collectgarbage()
assert(OperationQueue.main.userInfo == "main" and OperationQueue.default.userInfo == "default")

local timerQueue
do
    local kept = OperationQueue { userInfo = "of the timer" }
    Timer.scheduledTimer { interval = 0.001, queue = kept, operation = function()
        return Operation(function() timerQueue = OperationQueue.current.userInfo end)
    end }
end
local sourceQueue
do
    local kept = OperationQueue { userInfo = "of the source" }
    local source = DispatchSource.userDataAdd(kept)
    source:setEventHandler(function()
        sourceQueue = OperationQueue.current.userInfo
        source:cancel()
    end)
    source:activate()
    Timer.scheduledTimer { interval = 0.001, block = function() source:mergeData(1) end }
end
collectgarbage() collectgarbage()
while not (timerQueue and sourceQueue) do sleep(0.001) end
assert(timerQueue == "of the timer" and sourceQueue == "of the source")
