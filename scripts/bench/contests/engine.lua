-- The costs of the engine's conveniences: each is compared with the same without it.
return function(places)
    local sizes = { small = { 100000 }, full = { 100000, 1000000 } }
    local runs = { small = { 1000 }, full = { 1000 } }
    local state = {
        name = "lua_State",
        lacks = not places.state and "liblua5.4-dev or g++" or nil,
        command = { places.state or "state", "state", "N", "R" },
    }
    local function shape(name, shape) return { name = name, command = { places.bench, shape, "N", "R" } } end

    return {
        {
            id = "engine.typed", sizes = sizes,
            title = "A closure of two arguments, called by a script: integers, compared with values as they are",
            entries = { shape("typed", "engine.typed"), shape("untyped", "engine.untyped") },
        },
        {
            id = "engine.recorded", sizes = sizes,
            title = "The same with a record of the run, compared with no record",
            entries = { shape("record", "engine.recorded"), shape("none", "engine.typed") },
        },
        {
            id = "engine.subscribed", sizes = sizes,
            title = "The same with one subscriber of the engine's events, compared with none",
            entries = { shape("one", "engine.subscribed"), shape("none", "engine.typed") },
        },
        {
            id = "engine.limited", sizes = sizes,
            title = "The same with all limits but that of instructions, compared with no limit",
            entries = { shape("limited", "engine.limited"), shape("none", "engine.typed") },
        },
        {
            id = "engine.new", sizes = runs,
            title = "An engine that is made, runs a script of one line, and is closed, compared with a Lua state in C",
            entries = { shape("engine", "engine.new"), state },
        },
        {
            id = "engine.pool", sizes = runs,
            title = "The same script in a pool, one run after the other",
            entries = { shape("pool", "pool.run"), state },
        },
    }
end
