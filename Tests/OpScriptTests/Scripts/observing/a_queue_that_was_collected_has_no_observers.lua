-- A body that continues after the end of its operation may see its queue collected and created again: without observers, and without harm.
-- arguments: --virtual
local function start()
    local queue = OperationQueue { name = "q" }
    queue:observe("operationCount", function() end)
    queue:addOperation(Operation { start = function(operation)
        operation:finish(1)
        operation = nil
        shield(function()
            sleep(0.01)
            for _ = 1, 3 do collectgarbage() sleep(0) end
            OperationQueue.current:addOperation(function() end)
            sleep(0.01)
        end)
    end })
end
start()
sleep(0.005)
for _ = 1, 3 do collectgarbage() sleep(0) end
sleep(0.1)
