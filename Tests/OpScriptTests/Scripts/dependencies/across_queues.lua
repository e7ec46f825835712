-- Dependencies go across queues.
local log = {}
local function op(name)
    return Operation { name = name, main = function()
        sleep(0.001)
        log[#log + 1] = name
    end }
end
local a, b, c = op "a", op "b", op "c"
b:addDependency(a)
c:addDependency(b)
OperationQueue():addOperation(c)
OperationQueue.main:addOperation(b)
OperationQueue { maxConcurrentOperationCount = 1 }:addOperation(a)
c:waitUntilFinished()
assert(table.concat(log, " ") == "a b c")
