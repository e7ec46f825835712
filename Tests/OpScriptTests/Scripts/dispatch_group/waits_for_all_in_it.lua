-- A group waits for each `enter` and for the operations that `async` put into it; it can be used again.
local group = DispatchGroup()
local queue = DispatchQueue { attributes = "concurrent" }
assert(group:wait())
local done = 0
for round = 1, 3 do
    for i = 1, 10 do queue:async { function() sleep(0.001) done = done + 1 end, group = group } end
    group:enter()
    async(function() sleep(0.002) done = done + 1 group:leave() end)
    assert(group:wait())
    assert(done == 11 * round)
end
queue:async { function() error("counts as an end") end, group = group }.allowsFailure = true
local op = queue:async { work.sleep(10), group = group }
op:cancel()
assert(group:wait())
