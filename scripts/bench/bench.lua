-- lua5.4 bench.lua [measure|check|counts] [small|full] [ID…]
--
-- `measure` runs OpScript beside its peers and prints medians, spreads and ratios, and what the bars in bars.lua say of them. `check`
-- compares ratios with the tables in last-measurement.md and instructions with counts.lua besides; statuses: 0 all met, 1 one is missed or was
-- better, 2 none is missed but the machine was too noisy to tell them all. `counts` prints a new counts.lua and measures nothing else. An ID is that of a contest or its beginning: `swift`,
-- `lua.work`. OPSCRIPT and OPSCRIPT_BENCH are the paths of the programs.
local scripts = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = ("%s/driver/?.lua;%s/contests/?.lua;%s/?.lua"):format(scripts, scripts, scripts)

local contest = require "contest"
local machine = require "machine"
local report = require "report"

local task, size, wanted = "measure", "full", {}
for _, word in ipairs(arg) do
    if word == "measure" or word == "check" or word == "counts" then
        task = word
    elseif word == "small" or word == "full" then
        size = word
    else
        wanted[#wanted + 1] = word
    end
end

local sections = {
    { "Lua", "lua" },
    { "Swift: Scheduling alone", "swift" },
    { "A script in a Swift program", "engine" },
    { "What else is asked for", "costs" },
    { "The command", "command" },
    { "Pictures", "pictures" },
    { "Runs that last", "journal" },
    { "Memory", "memory" },
}

local function isWanted(id)
    for _, beginning in ipairs(wanted) do
        if id:sub(1, #beginning) == beginning then return true end
    end
    return #wanted == 0
end

local function barsOf(id)
    local own = {}
    for _, bar in ipairs(require "bars") do
        if bar.contest == id then own[#own + 1] = bar end
    end
    return own
end

local function findPlaces()
    local function program(variable)
        return assert(os.getenv(variable), variable .. " is not set: `make bench` sets it")
    end
    local opscript, bench = program "OPSCRIPT", program "OPSCRIPT_BENCH"
    local files = machine.temporaryFolder()
    return setmetatable({
        scripts = scripts,
        opscript = opscript,
        bench = bench,
        files = files,
        objects = machine.compiledModule(scripts .. "/peers/objects.c", files, "objects"),
        tbb = machine.compiled(scripts .. "/peers/tbb.cpp", files .. "/tbb", "tbb"),
        state = machine.compiled(scripts .. "/peers/state.cpp", files .. "/state", "lua5.4"),
    }, { __close = function() os.execute(("rm -rf '%s'"):format(files)) end })
end

local function measure(places)
    local measured = {}
    for _, section in ipairs(sections) do
        local hasTitle = false
        for _, definition in ipairs(require(section[2])(places)) do
            if isWanted(definition.id) then
                if not hasTitle then print("\n## " .. section[1]) end
                hasTitle = true
                definition.bars = barsOf(definition.id)
                local run = contest.new(definition, size)
                run:run()
                measured[definition.id] = run
                print("\n" .. report.table(run))
                io.stdout:flush()
            end
        end
    end
    return measured
end

local function main()
    local places <close> = findPlaces()
    if task == "counts" then
        require("instructions").print(places)
        return 0
    end
    print "Medians for one operation, ± half the distance between the quartiles. A ratio is ours to theirs, alternating:"
    print "below 1, OpScript takes less. Growth: an operation at the largest size to one at the smallest."
    for _, line in ipairs(machine.description()) do print("- " .. line) end
    local measured = measure(places)
    if not next(measured) then
        io.stderr:write("bench.lua: no contest begins with ", table.concat(wanted, " or "), "\n")
        return 1
    end
    local bars = require("check").bars(measured)
    if task ~= "check" then return 0 end
    local record = require("check").record(measured, io.lines(scripts .. "/last-measurement.md"))
    local counts = require("check").counts(places)
    return (bars == 1 or record == 1 or counts == 1) and 1 or math.max(bars, counts)
end

os.exit(main(), true)
