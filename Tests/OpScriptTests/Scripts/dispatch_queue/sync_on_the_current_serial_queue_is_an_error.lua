-- `sync` on the current serial queue, also through a target, raises `deadlock` at once.
local queue = DispatchQueue { label = "outer" }
local below = DispatchQueue { label = "below", target = queue, attributes = "concurrent" }
local function refused(from, to)
    return from:sync(function()
        local ok, err = pcall(to.sync, to, function() end)
        return not ok and err.code == "deadlock" and err.message
    end)
end
assert(refused(queue, queue):find("this body runs on the serial queue 'outer' itself", 1, true))
assert(refused(below, queue):find("'outer'", 1, true))
assert(refused(queue, below):find("'below' runs under it", 1, true))
local ok, err = pcall(DispatchQueue.main.sync, DispatchQueue.main, function() end)
assert(not ok and err.code == "deadlock")
local other = DispatchQueue { label = "other", attributes = "concurrent" }
assert(other:sync(function() return other:sync(function() return 5 end) end) == 5)
