-- A million operations on a cluster in memory, with faults: opscript --virtual scripts/cluster/million.lua
--
-- Prints how many have ended and failed, and how long the cluster took.
local total, window = tonumber(arg[1]) or 1000000, 12000
simulate("slurm", { nodes = 10000, faults = 0.02 })
simulate("compute.primes", { duration = 10 })

local queue = OperationQueue { on = "slurm" }
local added, ended, failed = 0, 0, 0
local function add()
    added = added + 1
    local op = work.compute.primes(1)
    op.allowsFailure = true
    op.completionBlock = function()
        ended = ended + 1
        if op.outcome ~= "succeeded" then failed = failed + 1 end
        if added < total then add() end
    end
    queue:addOperation(op)
end
for _ = 1, math.min(window, total) do add() end
queue:waitUntilAllOperationsAreFinished()
print(("%d operations, %d failed, %.0f s on the cluster"):format(ended, failed, clock.now()))
