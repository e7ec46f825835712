-- One operation may be the argument of several, and runs once.
local runs = 0
local source = Operation(function()
    runs = runs + 1
    return { runs }
end)
local left, right = work.json.encode(source), work.json.encode { source }
local both = work.json.encode { left, right }
assert(await(both) == '["[1]","[[1]]"]')
assert(runs == 1)
