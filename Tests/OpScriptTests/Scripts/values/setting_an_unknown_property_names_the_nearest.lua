-- Setting a property that does not exist raises and names the nearest one.
local function nearest(object, key, expected)
    local ok, err = pcall(function() object[key] = 1 end)
    assert(not ok, key .. " was set")
    assert(tostring(err):find(key, 1, true) and tostring(err):find(expected, 1, true), tostring(err))
end
nearest(Operation(function() end), "completionBlok", "completionBlock")
nearest(Operation(function() end), "queuePriorty", "queuePriority")
nearest(BlockOperation(function() end), "timeuot", "timeout")
nearest(Gate "g", "nam", "name")
nearest(OperationQueue(), "maxConcurrentOperationsCount", "maxConcurrentOperationCount")
nearest(Timer { interval = 1, repeats = true, block = function() end }, "tolerence", "tolerance")
