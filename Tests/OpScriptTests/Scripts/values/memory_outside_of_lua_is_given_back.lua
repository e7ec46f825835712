-- Objects that hold memory outside of Lua are given back in time, without a call of collectgarbage.
-- collector: own
local opscript = require "opscript"
local side = 256
local bytes = "P5\n" .. side .. " " .. side .. "\n255\n" .. ("x"):rep(side * side)
local weight = side * side * 2
local most = 0
for _ = 1, 400 do
    local image = await(work.image.decode(bytes))
    assert(image.width == side)
    most = math.max(most, opscript.memory().native)
end
assert(most >= weight, most)
assert(most < 100 * weight, most)
local memory = opscript.memory()
assert(memory.lua > 0 and memory.total == memory.lua + memory.native)
-- Held objects count.
local held = {}
for index = 1, 20 do held[index] = await(work.image.decode(bytes)) end
assert(opscript.memory().native >= 20 * weight)
held = nil
collectgarbage()
collectgarbage()
assert(opscript.memory().native < 20 * weight, held)
-- A stopped collector stays stopped.
collectgarbage("stop")
for _ = 1, 50 do await(work.image.decode(bytes)) end
assert(opscript.memory().native >= 50 * weight)
collectgarbage("restart")
