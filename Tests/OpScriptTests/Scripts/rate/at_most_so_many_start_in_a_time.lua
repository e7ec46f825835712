-- arguments: --virtual
-- At most `rate` operations start in any time of `per` seconds; a start counts until `per` seconds have passed since then.
local queue = OperationQueue { rate = { 3, per = 2 } }
assert(queue.rate[1] == 3 and queue.rate.per == 2 and queue.rate.key == nil and queue.widthPerKey == nil)
local begin, starts = clock.now(), {}
local function add(count, body)
    for _ = 1, count do
        queue:addOperation(function()
            starts[#starts + 1] = clock.now() - begin
            if body then body() end
        end)
    end
end
add(7)
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(starts, " ") == "0.0 0.0 0.0 2.0 2.0 2.0 4.0", table.concat(starts, " "))

-- The window slides: starts at 4.0, 4.5 and 5.0 leave room at 6.0, 6.5 and 7.0.
sleep(0.5)
add(1)
sleep(0.5)
add(4)
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(starts, " ", 8) == "4.5 5.0 6.0 6.5 7.0", table.concat(starts, " ", 8))

-- Bodies may take longer than that; the width is a limit of its own.
queue.maxConcurrentOperationCount = 2
sleep(10)
begin, starts = clock.now(), {}
add(4, function() sleep(3) end)
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(starts, " ") == "0.0 0.0 3.0 3.0", table.concat(starts, " "))

-- The default is one second.
local each = OperationQueue { rate = { 1 } }
assert(each.rate.per == 1)
begin = clock.now()
for _ = 1, 4 do each:addOperation(Operation(function() end)) end
each:waitUntilAllOperationsAreFinished()
assert(clock.now() - begin == 3)
