-- A body that waits for an operation of its own key, for which `widthPerKey` leaves no place, is a deadlock with its chain.
local queue = OperationQueue { name = "net", widthPerKey = 1, rate = { key = function() return "host" end } }
local inner = Operation { name = "inner", main = function() end }
local outer = Operation { name = "outer", main = function()
    queue:addOperation(inner)
    local ok, err = pcall(await, inner)
    assert(not ok and err.code == "deadlock")
    local expected = "'inner' waits for a place (widthPerKey 1) in queue 'net' for 'host', which 'outer' holds"
    assert(err.message:find(expected, 1, true), err.message)
end }
queue:addOperation(outer)
queue:waitUntilAllOperationsAreFinished()
assert(outer.outcome == "succeeded", outer.error)
assert(inner.outcome == "succeeded")
