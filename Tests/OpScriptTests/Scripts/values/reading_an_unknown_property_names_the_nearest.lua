-- Reading a property that does not exist raises and names the nearest one.
local function nearest(object, key, expected)
    local ok, err = pcall(function() return object[key], "no tail call" end)
    assert(not ok, key .. " was read")
    assert(tostring(err):find(key, 1, true) and tostring(err):find(expected, 1, true), tostring(err))
    assert(tostring(err):find("reading_an_unknown_property_names_the_nearest%.lua:3: "), tostring(err))
end
local op = Operation(function() end)
nearest(op, "isFinishd", "isFinished")
nearest(op, "outcme", "outcome")
nearest(op, "addDependancy", "addDependency")
nearest(OperationQueue(), "operationsCount", "operationCount")
nearest(OperationQueue(), "isSuspend", "isSuspended")
local timer = Timer { interval = 1, repeats = true, block = function() end }
nearest(timer, "fireCont", "fireCount")
