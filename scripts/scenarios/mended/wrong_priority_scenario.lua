-- An urgent operation goes first: its priority is set before it is added.
it("the urgent one goes first", function()
    local queue = OperationQueue { maxConcurrentOperationCount = 1, isSuspended = true }
    local order = {}
    local function job(name) return Operation { name = name, main = function() order[#order + 1] = name end } end
    local plain, urgent = job "plain", job "urgent"
    urgent.queuePriority = "veryHigh"
    queue:addOperations { plain, urgent }
    local boss = async(function()
        sleep(1)
        urgent.name = "urgent"
    end)
    local gatekeeper = async(function()
        sleep(1)
        queue.isSuspended = false
    end)
    await.all { boss, gatekeeper }
    queue:waitUntilAllOperationsAreFinished()
    assert.same({ "urgent", "plain" }, order)
end)
