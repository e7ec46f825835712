-- One `leave` too many, a wait that can never end, wrong kinds.
local function refused(code, text, fn, ...)
    local ok, err = pcall(fn, ...)
    assert(not ok and err.code == code and err:find(text, 1, true), err)
end
local group, queue = DispatchGroup(), DispatchQueue "q"
refused("misuse", "left more often than it was entered", group.leave, group)
group:enter()
group:leave()
refused("misuse", "each 'leave' needs an 'enter'", group.leave, group)
local gate = Gate()
local op = queue:async { function() await(gate) end, group = group }
refused("misuse", "left more often", group.leave, group)
gate:finish()
group:wait()
group:enter()
refused("deadlock", "was entered once more than it was left, and nothing is left that could leave it", group.wait, group)
group:leave()
refused("argument", "dispatch queue expected", group.notify, group, OperationQueue(), print)
refused("argument", "operation or function expected", group.notify, group, queue, 5)
refused("misuse", "already finished", group.notify, group, queue, op)
refused("misuse", "did you mean 'notify'", function() return group.notfy end)
refused("misuse", "no property 'count'", function() group.count = 1 end)
assert(tostring(group):find("^DispatchGroup '.*misuse_is_told.lua:%d+' %(empty%)$"))
