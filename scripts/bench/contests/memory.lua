-- Bytes of a pending operation.
return function(places)
    local sizes = { small = { 10000, 100000 }, full = { 10000, 1000000 } }
    local rounds = { small = 2, full = 3 }
    return {
        {
            id = "memory.lua", unit = "bytes", sizes = sizes, rounds = rounds, growth = true,
            title = "A pending operation made in Lua, with a name and a dependency",
            entries = {
                { name = "opscript", command = { places.opscript, places.scripts .. "/opscript/pending.lua", "N" } },
            },
        },
        {
            id = "memory.swift", unit = "bytes", sizes = sizes, rounds = rounds, growth = true,
            title = "The same made in Swift",
            entries = { { name = "Scheduling", command = { places.bench, "scheduling.pending", "N" } } },
        },
    }
end
