-- All Lua code of a script runs on one thread: Thread.current is Thread.main; inside a thread's isolate it has name and number.
assert(Thread.current == Thread.main)
assert(Thread.main.isMainThread and Thread.main.number == 1 and Thread.main.name == "main")
assert(Thread.main.isExecuting and not Thread.main.isFinished and not Thread.main.isCancelled)
local seen
OperationQueue.main:addOperation(function() seen = Thread.current end)
OperationQueue.main:waitUntilAllOperationsAreFinished()
assert(seen == Thread.main)
local thread = Thread {
    name = "a name that is longer than the kernel takes",
    isolate = function()
        local file = io.open("/proc/thread-self/comm")
        local comm = file:read("l")
        file:close()
        return Thread.current.name, Thread.current.number, Thread.current.isMainThread, comm
    end,
}:start()
thread:join()
local name, number, isMain, comm = thread:results()
assert(name == thread.name and number == thread.number and isMain == false)
assert(comm == "a name that is ", comm)
