#!/usr/bin/env opscript
-- The body of a thread prepares what it needs, does its work and cleans up. A `<close>` variable cleans up
-- in every case. An error that leaves the body ends the thread, but not the program.
-- In the guide: Threading Programming Guide, "Writing Your Thread Entry Routine", listing 2-2

local function body(lines)
    local scratch <close> = setmetatable({}, { __close = function() print "cleaned up" end })
    if #lines == 0 then error("no lines at all", 0) end

    local values = {}
    for number, line in ipairs(lines) do
        -- The body catches this error, so the other lines are still read.
        local _, value = pcall(function()
            return tonumber(line) or error("line " .. number .. " is not a number", 0)
        end)
        values[number] = value
    end
    return table.concat(values, ", ")
end

local good = Thread { name = "good", isolate = body, args = { { "1", "two", "3" } } }
-- The script handles this failure itself, so the run does not fail.
local bad = Thread { name = "bad", isolate = body, args = { {} }, allowsFailure = true }

for _, thread in ipairs { good, bad } do
    thread:start():join()
    print(thread.name, thread.isFinished, thread.result or thread.error)
end
