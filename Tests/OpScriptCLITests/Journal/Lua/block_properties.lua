-- A recorded function with a version and an input among the blocks of an operation that is tried three times.
local seen = {}
local step = Operation(function() return 1 end)
step.name, step.recording, step.version, step.inputs = "step", "result", "7", { "in" }
local block
block = BlockOperation(step, function()
    local own = block.executionBlocks[1]
    seen[#seen + 1] = table.concat({ own.recording, own.version, own.inputs[1] }, " ")
    if #seen < 3 then error("no", 0) end
end)
block.retry = { attempts = 3 }
OperationQueue.default:addOperation(block)
block:waitUntilFinished()
print(table.concat(seen, ", "))
error("end", 0)
