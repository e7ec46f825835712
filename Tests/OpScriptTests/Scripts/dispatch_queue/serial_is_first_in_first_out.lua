-- A serial queue runs one body after the other, in the order of addition; operation priorities do not count there.
-- expect-stdout: 1 2 3 4 5 6
local queue = DispatchQueue { label = "serial" }
local log, running = {}, 0
for i = 1, 6 do
    local op = Operation(function()
        running = running + 1
        assert(running == 1, "two at a time")
        log[#log + 1] = i
        sleep(0)
        running = running - 1
    end)
    op.queuePriority = i % 2 == 0 and "veryHigh" or "veryLow"
    queue:async(op)
end
queue:sync(function() print(table.concat(log, " ")) end)
