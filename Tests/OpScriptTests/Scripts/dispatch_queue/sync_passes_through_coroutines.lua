-- The wait of a `sync` passes through the script's own coroutines.
local queue = DispatchQueue "q"
local steps = coroutine.wrap(function()
    for i = 1, 3 do coroutine.yield(queue:sync(function() sleep(0) return i * 10 end)) end
end)
assert(steps() == 10 and steps() == 20 and steps() == 30)
local ok, err = pcall(table.sort, { 2, 1 }, function() queue:sync(function() end) end)
assert(not ok and err:find("cannot wait here: inside table.sort", 1, true))
