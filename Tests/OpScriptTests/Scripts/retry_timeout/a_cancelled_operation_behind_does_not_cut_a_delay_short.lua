-- Between attempts an operation of a serial dispatch queue keeps its place, and its delay passes in full.
local queue = DispatchQueue { label = "serial" }
local starts = {}
local operation = Operation(function()
    starts[#starts + 1] = clock.now()
    error "on purpose"
end)
operation.retry = { attempts = 2, delay = 0.05 }
operation.allowsFailure = true
queue:async(operation)
local behind = Operation(function() error "it ran before its turn" end)
queue:async(behind)
local last = Operation(function() return #starts end)
queue:async(last)
sleep(0.01)
behind:cancel()
assert(await(last) == 2)
assert(behind.outcome == "cancelled")
assert(starts[2] - starts[1] >= 0.05, starts[2] - starts[1])
