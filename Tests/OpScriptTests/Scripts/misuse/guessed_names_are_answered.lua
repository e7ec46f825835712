-- A name that people guess, because other tools have it, is answered with the right one.
local function refused(hint, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok, "accepted: " .. hint)
    assert(tostring(problem):find(hint, 1, true), tostring(problem))
end
local function body() end
local op = Operation { name = "a", main = body }
op:cancel()
local queue = OperationQueue()

refused("Operation has no property 'retries' (did you mean 'retry'?)", function() op.retries = 3 end)
refused("Operation has no option 'retryCount' (did you mean 'retry'?)", Operation, { retryCount = 3, main = body })
refused("retry has no option 'retries' (did you mean 'attempts'?)", function() op.retry = { retries = 3 } end)
refused("Operation has no property 'deadline' (did you mean 'timeout'?)", function() op.deadline = 3 end)
refused("Operation has no property 'onComplete' (did you mean 'completionBlock'?)", function() op.onComplete = body end)
refused("Operation has no option 'dependsOn' (did you mean 'dependencies'?)", Operation, { dependsOn = {}, main = body })
refused("OperationQueue has no option 'width' (did you mean 'maxConcurrentOperationCount'?)", OperationQueue, { width = 3 })
refused("OperationQueue has no option 'Concurrency' (did you mean 'maxConcurrentOperationCount'?)", OperationQueue, { Concurrency = 3 })
refused("OperationQueue has no property 'add' (did you mean 'addOperation'?)", function() queue:add(op) end)
refused("addOperation has no option 'delay' (did you mean 'after'?)", queue.addOperation, queue, work.sleep(0), { delay = 1 })

-- Options of works; some of them are properties of the operation.
refused("unknown option 'timeout'; set 'timeout' of the operation instead", work.process.run, { "ls", timeout = 3 })
refused("unknown option 'retries'; set 'retry' of the operation instead", work.file.write, "a", "b", { retries = 3 })
refused("unknown option 'dir' (did you mean 'cwd'?)", work.process.shell, "ls", { dir = "/" })
refused("unknown option 'environment' (did you mean 'env'?)", work.process.run, { "ls", environment = {} })
refused("table of a program and its arguments expected, got string", work.process.run, "ls")

refused("operation expected, got table; for a list use await.all { … }", await, { work.sleep(0) })

-- A method that is called with a dot receives its first argument as its object.
refused("(queue expected, got operation); a method is called with a colon, as in queue:addOperation(…)",
    function() queue.addOperation(op) end)
refused("(operation expected, got no value); a method is called with a colon, as in op:cancel(…)", function() op.cancel() end)
refused("(semaphore expected, got no value); a method is called with a colon, as in semaphore:signal(…)",
    function() DispatchSemaphore(1).signal() end)
refused("as in timer:invalidate(…)", function() Timer { interval = 1, block = body }.invalidate() end)
local _, plain = pcall(DispatchSource.signal)
assert(not tostring(plain):find("colon", 1, true), tostring(plain))

-- A misspelt name is reported before a missing one.
refused("Timer has no option 'intervall' (did you mean 'interval'?)", Timer.scheduledTimer, { intervall = 1, block = body })
refused("bad value for 'interval' (number expected, got nil)", Timer.scheduledTimer, { block = body })
-- A number that is not whole is shown.
refused("bad value for 'maxConcurrentOperationCount' (integer expected, got 1.5)", OperationQueue, { maxConcurrentOperationCount = 1.5 })
refused("bad value for 'retry' (table such as { attempts = 3 } expected, got number)", function() op.retry = 3 end)
