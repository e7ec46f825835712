-- Features that cost something only if they are used: each is compared with the same without it.
return function(places)
    local sizes = { small = { 10000 }, full = { 10000, 100000 } }
    local script, output = places.scripts .. "/opscript/work.lua", places.files .. "/output"
    local function entry(name, ...) return { name = name, command = { ... } } end
    local function launched(name, ...) return entry(name, places.bench, "launch", "1", output, ...) end

    return {
        {
            id = "costs.observed", sizes = sizes,
            title = "A Swift closure whose `isFinished` is observed, compared with one without observers",
            entries = {
                entry("observed", places.opscript, script, "observed", "N", "R"),
                entry("not", places.opscript, script, "work", "N", "R"),
            },
        },
        {
            id = "costs.traced", sizes = sizes,
            title = "A Swift closure in a run that is traced into a file, compared with one that is not",
            entries = {
                entry("traced", places.opscript, "--trace", places.files .. "/trace", script, "work", "N", "R"),
                entry("not", places.opscript, script, "work", "N", "R"),
            },
        },
        {
            id = "costs.virtual", sizes = { small = { 10000 }, full = { 100000 } },
            title = "A Swift closure on virtual time, compared with the system's clock: the whole command, 10 000 to warm up in it",
            entries = {
                launched("virtual", places.opscript, "--virtual", script, "work", "N", "1"),
                launched("system", places.opscript, script, "work", "N", "1"),
            },
        },
    }
end
