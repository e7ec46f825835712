-- A stray `coroutine.yield` that a body does not catch fails its operation.
local op = Operation(function()
    coroutine.yield("stray")
    return "came back"
end)
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed")
assert(err:find("attempt to yield", 1, true), tostring(err))
