-- The costs of the engine's conveniences: each is compared with the same without it.
return function(places)
    local sizes = { small = { 100000 }, full = { 100000, 1000000 } }
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
    }
end
