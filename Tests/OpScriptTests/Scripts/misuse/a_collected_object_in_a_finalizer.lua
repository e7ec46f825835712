-- A finalizer that uses an object that was collected before gets an error.
-- collector: own
local told = {}
local function note(text, ok, problem)
    assert(not ok and problem:find(text .. " that was collected", 1, true), problem)
    told[#told + 1] = text
end
-- Finalizers are called in the reverse order, so this one is called after those of the objects below.
local last = setmetatable({}, { __gc = function(self) self.check() end })
do
    local group, semaphore, queue, serial = DispatchGroup(), DispatchSemaphore(1), OperationQueue(), DispatchQueue "serial"
    function last.check()
        note("group expected, got group", pcall(group.enter, group))
        note("semaphore expected, got semaphore", pcall(semaphore.signal, semaphore))
        note("queue expected, got OperationQueue", pcall(queue.waitUntilAllOperationsAreFinished, queue))
        note("dispatch queue expected, got DispatchQueue", pcall(serial.async, serial, print))
    end
end
last = nil
collectgarbage()
collectgarbage()
assert(#told == 4, #told)
