-- Runs with a journal, beside runs without one, and builds beside those of ninja.
local machine = require "machine"

local function write(path, ...)
    local file <close> = assert(io.open(path, "w"))
    assert(file:write(...))
end

local function text(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local function remove(path) os.execute(("rm -rf '%s' '%s-wal' '%s-shm'"):format(path, path, path)) end

local function succeed(command) assert(os.execute(command .. " >/dev/null 2>&1"), command) end

-- The same project for both tools; each has objects of its own.
local function writeProject(folder, n)
    write(folder .. "/step.sh", 'cp "$1" "$2" && echo "$2: $1 $3" >"$2.d"\n')
    for i = 1, n do write(("%s/%d.c"):format(folder, i), "source ", i, "\n") end
    for i = 0, 99 do write(("%s/%d.h"):format(folder, i), "header ", i, "\n") end
    local lines = {
        ("rule step\n  command = sh %s/step.sh $in $out $header\n  depfile = $out.d\n  deps = gcc\n  restat = 1\n"):format(folder),
    }
    for i = 1, n do
        lines[#lines + 1] = ("build %s/ninja/%d.o: step %s/%d.c\n  header = %s/%d.h\n"):format(folder, i, folder, i, folder, i % 100)
    end
    write(folder .. "/build.ninja", table.concat(lines))
end

return function(places)
    local output, journal = places.files .. "/output", places.files .. "/journal"
    local recorded = places.scripts .. "/opscript/recorded.lua"
    local with = { places.opscript, "-q", "--journal", journal }

    local function launch(...) return { places.bench, "launch", "1", output, ... } end

    -- By size, the folder of the project and whether both have built it.
    local projects = {}
    local function project(n)
        if projects[n] then return projects[n] end
        local folder = ("%s/steps-%d"):format(places.files, n)
        succeed(("mkdir -p '%s/ninja'"):format(folder))
        writeProject(folder, n)
        -- Files that were written a moment before are doubted, and their steps run twice.
        succeed "sleep 0.1"
        succeed(("'%s' -q --journal '%s/journal' '%s/opscript/steps.lua' %d '%s'"):format(
            places.opscript, folder, places.scripts, n, folder))
        succeed(("ninja -C '%s' -j2"):format(folder))
        projects[n] = folder
        return folder
    end

    local function build(id, title, expected, ninjaSays, before)
        return {
            id = id, title = title, counted = "steps",
            sizes = { small = { 500 }, full = { 500, 10000 } }, rounds = { small = 5, full = 9 },
            entries = {
                {
                    name = "opscript", lacks = machine.lacksCommand "ninja",
                    command = launch(places.opscript, "-q", "--journal", places.files .. "/steps-{N}/journal",
                        places.scripts .. "/opscript/steps.lua", "N", places.files .. "/steps-{N}"),
                    before = function(n) before(project(n)) end,
                    after = function() assert(text(output) == expected, text(output)) end,
                },
                {
                    name = "ninja", lacks = machine.lacksCommand "ninja",
                    command = launch("ninja", "-C", places.files .. "/steps-{N}", "-j2"),
                    before = function(n) before(project(n)) end,
                    after = function() assert(text(output):find(ninjaSays, 1, true), text(output)) end,
                },
            },
        }
    end

    local changes = 0
    local function changeOne(folder)
        changes = changes + 1
        write(folder .. "/7.c", "changed ", changes, "\n")
    end

    return {
        {
            id = "journal.work", title = "A journal: short operations that are recorded, to a run without one",
            sizes = { small = { 10000 }, full = { 10000, 100000 } }, rounds = { small = 5, full = 9 },
            entries = {
                {
                    name = "journal", command = { with[1], with[2], with[3], with[4], recorded, "N" },
                    before = function() remove(journal) end,
                },
                { name = "none", command = { places.opscript, "-q", recorded, "N" } },
            },
        },
        {
            id = "journal.resume", title = "Resuming recorded operations, to a run without a journal, from start to end",
            sizes = { small = { 10000 }, full = { 10000, 100000 } }, rounds = { small = 5, full = 9 },
            entries = {
                {
                    name = "resumed", command = launch(with[1], with[2], with[3], with[4], "--resume", recorded, "N"),
                    before = function(n)
                        remove(journal)
                        os.execute(("'%s' -q --journal '%s' '%s' %d fail >/dev/null 2>&1"):format(
                            places.opscript, journal, recorded, n))
                    end,
                },
                { name = "none", command = launch(places.opscript, "-q", recorded, "N") },
            },
        },
        build("journal.noop", "A build with nothing to do", "steps run: 0\n", "no work to do", function() end),
        build("journal.change", "A build with one changed input", "steps run: 1\n", "[1/1]", changeOne),
    }
end
