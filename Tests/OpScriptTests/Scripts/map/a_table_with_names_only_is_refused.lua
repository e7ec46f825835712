-- `queue:map` takes a list: a table that has elements but no first one is an error.
local queue = OperationQueue()
for _, list in ipairs { { a = 1 }, { [2] = "second" }, { n = 3 } } do
    local ok, problem = pcall(queue.map, queue, list, function() end)
    assert(not ok and problem.code == "argument" and tostring(problem):find("list expected", 1, true), problem)
end
assert(#queue:map({}, function() end) == 0 and #queue:map(table.pack(), function() end) == 0)
