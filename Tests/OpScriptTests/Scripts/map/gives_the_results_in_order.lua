-- `queue:map` calls `fn(item, i)`, waits, and returns the results in order.
local queue = OperationQueue()
local results = queue:map({ "a", "b", "c" }, function(item, i)
    if i == 1 then sleep(0.005) end
    return item .. i
end)
assert(#results == 3 and table.concat(results, " ") == "a1 b2 c3")
