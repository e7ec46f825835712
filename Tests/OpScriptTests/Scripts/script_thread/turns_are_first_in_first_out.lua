-- Turns are first in, first out.
local log = {}
local ops = {}
for i, name in ipairs { "a", "b", "c" } do
    ops[i] = async(function()
        for round = 1, 3 do
            log[#log + 1] = name .. round
            sleep(0)
        end
    end)
end
await.all(ops)
assert(table.concat(log, " ") == "a1 b1 c1 a2 b2 c2 a3 b3 c3", table.concat(log, " "))
