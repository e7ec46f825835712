-- sync of a cancelled work item waits for its turn, does nothing, and returns nothing, as perform does.
local queue = DispatchQueue "q"
local ran = false
local item = DispatchWorkItem(function()
    ran = true
    return 1
end)
item:cancel()
assert(select("#", queue:sync(item)) == 0)
assert(select("#", item:perform()) == 0)
assert(not ran)
assert(queue:sync(DispatchWorkItem(function() return 2 end)) == 2)
