-- `addBarrierBlock` runs after all before it, and before all added after it.
local queue = OperationQueue()
local log = {}
local function body(word)
    return function()
        sleep(0.003)
        log[#log + 1] = word
    end
end
queue:addOperations { body "before", body "before" }
local barrier = queue:addBarrierBlock(body "barrier")
queue:addOperations { body "after", body "after" }
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(log, " ") == "before before barrier after after", table.concat(log, " "))
assert(barrier.outcome == "succeeded")
