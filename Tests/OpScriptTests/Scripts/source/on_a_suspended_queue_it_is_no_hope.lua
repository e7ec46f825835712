-- A wait that only a source on a suspended queue could end is a deadlock; after `resume` the source continues.
local queue, group = DispatchQueue { label = "held" }, DispatchGroup()
queue:suspend()
group:enter()
local ticks = 0
local source = DispatchSource.timer({ deadline = 0, repeating = 0.001 }, queue)
source:setEventHandler(function()
    ticks = ticks + source.data
    if ticks < 100 then return end
    source:cancel()
    group:leave()
end)
source:activate()
for _ = 1, 2 do
    local ok, problem = pcall(group.wait, group)
    assert(not ok and problem.code == "deadlock", problem)
end
sleep(0.1)
assert(ticks == 0)
queue:resume()
assert(group:wait())
assert(ticks >= 100, "what ticked in the meantime is counted")
