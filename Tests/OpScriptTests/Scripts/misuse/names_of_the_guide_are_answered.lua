-- A name that the guide spells differently is an error with the name to use in a script.
local function told(text, body)
    local ok, problem = pcall(body)
    assert(not ok and tostring(problem):find(text, 1, true), problem)
end
local queue, op = OperationQueue(), Operation(function() end)
told("in a script: queue:addOperation(fn)", function() queue:addOperationWithBlock(print) end)
told("in a script: queue:addOperation(fn)", function() return queue["addOperationWithBlock:"] end)
told("in a script: queue.isSuspended", function() queue:setSuspended(true) end)
told("did you mean 'maxConcurrentOperationCount'?", function() queue:setMaxConcurrentOperationCount(1) end)
told("did you mean 'queuePriority'?", function() op:setQueuePriority("high") end)
told("in a script: nothing: observers are notified of every change", function() op:willChangeValueForKey("isFinished") end)
told("in a script: OperationQueue.main", function() return OperationQueue.mainQueue end)
told("in a script: Timer.scheduledTimer", function() return Timer.scheduledTimerWithTimeInterval end)
told("in a script: Thread.current", function() return Thread.currentThread end)
for name, remedy in pairs {
    dispatch_async = "queue:async(body)", NSOperationQueue = "OperationQueue { … }", NSLock = "nothing between two waits",
    dispatch_get_main_queue = "DispatchQueue.main", dispatch_group_enter = "group:enter()",
} do
    local failed = Operation { allowsFailure = true, main = load(name .. "()") }
    queue:addOperation(failed)
    failed:waitUntilFinished()
    assert(failed.error.message:find("(global '" .. name .. "'); in a script: " .. remedy, 1, true), failed.error.message)
end
op:cancel()
