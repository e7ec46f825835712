-- Instructions for one operation, counted by valgrind's callgrind: the same on a busy machine as on an idle one.
local contestant = require "contestant"
local machine = require "machine"

local instructions = { lacks = machine.lacksCommand "valgrind" }

-- Each runs with few and with many operations: the difference excludes start and end of the process.
local few, many = 2000, 22000

instructions.shapes = {
    { id = "simulated.independent", command = { "{bench}", "simulated.independent", "N" } },
    { id = "simulated.batch", command = { "{bench}", "simulated.batch", "N" } },
    { id = "simulated.chain", command = { "{bench}", "simulated.chain", "N" } },
    { id = "simulated.fan", command = { "{bench}", "simulated.fan", "N" } },
    { id = "lua.made", command = { "{opscript}", "{scripts}/opscript/made.lua", "N" } },
    { id = "lua.bodies", command = { "{opscript}", "{scripts}/opscript/bodies.lua", "N" } },
}

local function total(shape, places, n)
    local result = places.files .. "/callgrind.out"
    -- Hash tables are laid out the same way each time.
    local words = {
        "env", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--quiet",
        "--callgrind-out-file=" .. result,
    }
    for _, word in ipairs(shape.command) do
        words[#words + 1] = word == "N" and n or word:gsub("{(%a+)}", places)
    end
    local output, reason = contestant.output(words)
    if not output then error(reason, 0) end
    local file <close> = assert(io.open(result))
    local count = file:read("a"):match("\nsummary: (%d+)") or error("callgrind gave no summary for " .. shape.id, 0)
    return tonumber(count)
end

function instructions.count(shape, places)
    return (total(shape, places, many) - total(shape, places, few)) / (many - few)
end

-- Prints a new counts.lua.
function instructions.print(places)
    print "-- Instructions for one operation, as `make bench-counts` last wrote them.\nreturn {"
    for _, shape in ipairs(instructions.shapes) do
        print(("    [%q] = %.0f,"):format(shape.id, instructions.count(shape, places)))
    end
    print "}"
end

return instructions
