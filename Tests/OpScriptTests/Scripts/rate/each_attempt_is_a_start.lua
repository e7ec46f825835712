-- arguments: --virtual
-- Each attempt counts as a start, and waits for the rate as the first one does. Works, groups and programs count as well.
local queue = OperationQueue { rate = { 1, per = 5 } }
local starts = {}
queue:addOperation(Operation {
    name = "again", retry = { attempts = 3, delay = 1 },
    main = function(self)
        starts[#starts + 1] = clock.now()
        assert(self.attempt == 3, "not yet")
    end,
})
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(starts, " ") == "0.0 5.0 10.0", table.concat(starts, " "))

sleep(100)
local begin = clock.now()
local group = GroupOperation { Operation(function() end), Operation(function() end) }
local operations = { work.sleep(1), group, work.compute.primes(10), isolate(function() return 1 end)() }
for i, op in ipairs(operations) do op.completionBlock = function() starts[i] = clock.now() - begin end end
queue:addOperations(operations, true)
assert(starts[1] == 1 and starts[2] == 5 and starts[3] == 10 and starts[4] == 15, table.concat(starts, " "))
