-- Functions that capture variables of the main chunk: their places there are no part of them.
-- INSERT
local k = "c"
local f = Operation { name = "f", recording = "result", main = function() return k end }
local g = Operation { name = "g", recording = "result", main = function()
    local function inner() return k .. k end
    return inner()
end }
OperationQueue.default:addOperations { f, g }
OperationQueue.default:waitUntilAllOperationsAreFinished()
print(f.isRecorded, g.isRecorded)
error("not yet", 0)
