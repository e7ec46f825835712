-- OpScript's promises: the most that a measured value may be.
--
-- contest, n, peer, most   the ratio to that peer at that size
-- contest, n, most         the value itself, in the unit of the contest (bytes)
-- contest, n, growth       an operation at that size, to one at the smallest
local bars = {
    { contest = "lua.block", n = 100000, peer = "luv", most = 0.25 },
    { contest = "lua.block", n = 1000000, peer = "luv", most = 0.25 },
    { contest = "lua.work", n = 100000, peer = "luv", most = 0.25 },
    { contest = "lua.work", n = 1000000, peer = "luv", most = 0.25 },
    { contest = "lua.timers", n = 100000, peer = "luv", most = 0.30 },
    { contest = "lua.bodies", n = 100000, peer = "cqueues", most = 0.60 },
    { contest = "swift.independent", n = 100000, peer = "libdispatch", most = 0.95 },
    -- Neither of the two returns a handle, so these are batches without handles.
    { contest = "swift.blocks", n = 100000, peer = "oneTBB", most = 0.95 },
    { contest = "swift.blocks", n = 100000, peer = "TaskGroup", most = 0.95 },
    { contest = "swift.chain", n = 100000, peer = "oneTBB", most = 0.95 },
    { contest = "swift.chain.foundation", n = 20000, peer = "Foundation", most = 1 / 1000 },
    { contest = "swift.fan", n = 100000, peer = "oneTBB", most = 0.95 },
    { contest = "swift.fan.foundation", n = 20000, peer = "Foundation", most = 1 / 50 },
    -- A fifth of the throughput at most.
    { contest = "engine.recorded", n = 100000, peer = "none", most = 1.6 },
    { contest = "engine.subscribed", n = 100000, peer = "none", most = 1.25 },
    { contest = "journal.work", n = 100000, peer = "none", most = 5 },
    { contest = "start", n = 100, peer = "lua5.4", most = 2 },
    { contest = "plain.fib", n = 2000, peer = "lua5.4", most = 1.03 },
    { contest = "plain.strings", n = 200000, peer = "lua5.4", most = 1.03 },
    { contest = "plain.tables", n = 200000, peer = "lua5.4", most = 1.03 },
    { contest = "processes", n = 2000, peer = "ninja", most = 0.8 },
    { contest = "pictures", n = 200, peer = "Pillow", most = 1 },
    { contest = "pictures", n = 200, peer = "ImageMagick", most = 1 },
    { contest = "memory.lua", n = 1000000, most = 450 },
    { contest = "memory.swift", n = 1000000, most = 200 },
    { contest = "lua.block", n = 1000000, growth = true, most = 1.3 },
    { contest = "lua.work", n = 1000000, growth = true, most = 1.3 },
    { contest = "lua.timers", n = 1000000, growth = true, most = 1.3 },
    { contest = "lua.bodies", n = 1000000, growth = true, most = 1.3 },
    { contest = "swift.independent", n = 1000000, growth = true, most = 1.3 },
    { contest = "swift.blocks", n = 1000000, growth = true, most = 1.3 },
    { contest = "swift.batch", n = 1000000, growth = true, most = 1.3 },
    { contest = "swift.chain", n = 1000000, growth = true, most = 1.3 },
    { contest = "swift.fan", n = 1000000, growth = true, most = 1.3 },
    { contest = "memory.lua", n = 1000000, growth = true, most = 1.3 },
    { contest = "memory.swift", n = 1000000, growth = true, most = 1.3 },
}

-- The usual forms: compared with luv, and to a queue without options.
local function form(name, toLuv, toNone)
    table.insert(bars, { contest = "lua.forms." .. name, n = 100000, peer = "luv", most = toLuv })
    table.insert(bars, { contest = "lua.forms." .. name, n = 100000, peer = "no options", most = toNone })
end
for _, name in ipairs { "width", "priority", "name", "dependency", "argument", "timeout", "body", "serial" } do
    form(name, 0.40, 2)
end
for _, name in ipairs { "retry", "map" } do form(name, 0.60, 3) end

return bars
