-- The command compared with lua5.4, ninja and make.
local machine = require "machine"

local function write(path, ...)
    local file <close> = assert(io.open(path, "w"))
    assert(file:write(...))
end

local function targets(n)
    local names = {}
    for i = 1, n do names[i] = "t" .. i end
    return names
end

-- Neither tool finds its targets, so that every run runs all of them.
local function writeNinja(folder, n)
    local builds = {}
    for i, name in ipairs(targets(n)) do builds[i] = "build " .. name .. ": true\n" end
    write(("%s/%d.ninja"):format(folder, n), "rule true\n  command = /bin/true\n", table.concat(builds))
    os.remove(folder .. "/.ninja_log")
end

local function writeMake(folder, n)
    local all = table.concat(targets(n), " ")
    write(("%s/%d.mk"):format(folder, n), "all: ", all, "\n.PHONY: all ", all, "\n", all, ":\n\t/bin/true\n")
end

local function text(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

return function(places)
    local output = places.files .. "/output"
    local plain = places.scripts .. "/peers/plain.lua"

    local processor = machine.onOneProcessor()

    local function plainLua(shape, title, counted, small, large)
        local function run(program)
            local words = { program, plain, shape, "N", "5" }
            return table.move(words, 1, #words, #processor + 1, { table.unpack(processor) })
        end
        return {
            id = "plain." .. shape, title = title, counted = counted,
            sizes = { small = { small }, full = { small, large } }, rounds = { small = 5, full = 9 },
            entries = {
                { name = "opscript", command = run(places.opscript) },
                { name = "lua5.4", command = run "lua5.4" },
            },
        }
    end

    return {
        {
            id = "start", title = "Start and end of `-e ''`", counted = "starts",
            sizes = { small = { 20 }, full = { 20, 100 } },
            entries = {
                { name = "opscript", command = { places.bench, "launch", "N", output, places.opscript, "-e", "" } },
                { name = "lua5.4", command = { places.bench, "launch", "N", output, "lua5.4", "-e", "" } },
            },
        },
        plainLua("fib", "Plain Lua: recursive calls, `fib(15)` (CPU time)", "times", 200, 2000),
        plainLua("strings", "Plain Lua: short strings (CPU time)", "strings", 20000, 200000),
        plainLua("tables", "Plain Lua: records in an array (CPU time)", "records", 20000, 200000),
        {
            id = "processes", counted = "processes", title = "Processes of `/bin/true`, two at a time",
            sizes = { small = { 500 }, full = { 500, 2000 } }, rounds = { small = 3, full = 5 },
            entries = {
                {
                    name = "opscript",
                    command = {
                        places.bench, "launch", "1", output,
                        places.opscript, places.scripts .. "/opscript/processes.lua", "N",
                    },
                },
                {
                    name = "ninja", lacks = machine.lacksCommand "ninja",
                    command = {
                        places.bench, "launch", "1", output,
                        "ninja", "-C", places.files, "-f", "{N}.ninja", "-j2",
                    },
                    before = function(n) writeNinja(places.files, n) end,
                    after = function(n)
                        assert(text(output):find(("[%d/%d]"):format(n, n), 1, true), "ninja did not run all processes")
                    end,
                },
                {
                    name = "make", lacks = machine.lacksCommand "make",
                    command = {
                        places.bench, "launch", "1", output,
                        "env", "-u", "MAKEFLAGS", "make", "-f", places.files .. "/{N}.mk", "-j2",
                    },
                    before = function(n) writeMake(places.files, n) end,
                    after = function(n)
                        local _, count = text(output):gsub("/bin/true\n", "")
                        assert(count == n, "make did not run all processes")
                    end,
                },
            },
        },
    }
end
