-- Blocks that are made anew for an attempt have the dependencies and the arguments that they were given, among each other.
for _, first in ipairs { "work", "function" } do
    local log, tries = {}, 0
    local function note(word) log[#log + 1] = word end
    local outside = Operation(function() error("by plan", 0) end)
    outside.allowsFailure = true

    local number = first == "work" and work.compute.primes(20000)
        or Operation(function() sleep(0.005) note "number" return 30 + tries end)
    local primes = work.compute.primes(number)
    local last = Operation(function()
        tries = tries + 1
        note "last"
        if tries < 3 then error("by plan", 0) end
    end)
    last:addDependency(primes, "succeeded")
    last:addDependency(outside, "finished")
    local instead = Operation(function() note "instead" end)
    instead:addDependency(last, "failed")

    -- The order of the blocks is not that of the dependencies.
    local block = BlockOperation(last, primes, number, instead)
    block.retry = { attempts = 5 }
    OperationQueue.default:addOperations { outside, block }
    block:waitUntilFinished()
    assert(block.outcome == "succeeded", tostring(block.error))
    local _, count, input = block:results()
    if first == "work" then
        assert(table.concat(log, " ") == "last instead last instead last", table.concat(log, " "))
        assert(input == 2262 and count == 335, count)
    else
        assert(table.concat(log, " ") == "number last instead number last instead number last", table.concat(log, " "))
        -- The result of the same attempt: there are 11 primes below 32, and 10 below 30.
        assert(input == 32 and count == 11, count)
    end
    assert(tries == 3)
end
