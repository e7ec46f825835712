-- OpScript's Lua side compared with luv and cqueues.
local machine = require "machine"

return function(places)
    local sizes = { small = { 10000, 100000 }, full = { 10000, 100000, 1000000 } }
    local ours, theirs = places.scripts .. "/opscript/", places.scripts .. "/peers/"
    local luv, cqueues = machine.lacksModule "luv", machine.lacksModule "cqueues"
    -- Not a peer: the time that Lua itself takes for such a script.
    local function bare(shape)
        return {
            name = "bare objects",
            lacks = not places.objects and "liblua5.4-dev or g++" or nil,
            command = { "lua5.4", theirs .. "objects.lua", places.objects or "", shape, "N", "R" },
        }
    end
    local contests = {
        {
            id = "lua.block", sizes = sizes, growth = true, memory = 2000,
            title = "A Swift closure with a completion block: made, submitted, run, notified",
            entries = {
                { name = "opscript", command = { places.opscript, ours .. "work.lua", "block", "N", "R" } },
                { name = "luv", lacks = luv, command = { "lua5.4", theirs .. "luv-work.lua", "block", "N", "R" } },
                bare "block",
            },
        },
        {
            id = "lua.work", sizes = sizes, growth = true, memory = 2000,
            title = "The same without a completion block; luv with an empty callback",
            entries = {
                { name = "opscript", command = { places.opscript, ours .. "work.lua", "work", "N", "R" } },
                { name = "luv", lacks = luv, command = { "lua5.4", theirs .. "luv-work.lua", "work", "N", "R" } },
                bare "work",
            },
        },
        {
            id = "lua.timers", sizes = sizes, growth = true, memory = 2000,
            title = "One-shot timers of ten delays: made and fired, without the time until they are due",
            entries = {
                { name = "opscript", command = { places.opscript, ours .. "timers.lua", "N", "R" } },
                {
                    name = "luv", lacks = luv, largest = 100000,
                    command = { "lua5.4", theirs .. "luv-timers.lua", "N", "R" },
                },
            },
        },
        {
            id = "lua.bodies", sizes = sizes, growth = true, memory = 2000,
            title = "Lua bodies that wait once, all at the same time",
            entries = {
                { name = "opscript", command = { places.opscript, ours .. "bodies.lua", "N", "R" } },
                {
                    name = "cqueues", lacks = cqueues, largest = 100000,
                    command = { "lua5.4", theirs .. "cqueues-bodies.lua", "N", "R" },
                },
            },
        },
    }
    -- The usual forms, compared with luv's only one and with a queue without options.
    for _, form in ipairs {
        "width", "priority", "name", "dependency", "argument", "timeout", "body", "serial", "retry", "map",
    } do
        table.insert(contests, {
            id = "lua.forms." .. form, sizes = { small = { 100000 }, full = { 100000 } }, memory = 2000,
            title = "Swift closures in a form that people write: " .. form,
            entries = {
                { name = "opscript", command = { places.opscript, ours .. "forms.lua", form, "N", "R" } },
                { name = "luv", lacks = luv, command = { "lua5.4", theirs .. "luv-work.lua", "block", "N", "R" } },
                { name = "no options", command = { places.opscript, ours .. "forms.lua", "none", "N", "R" } },
            },
        })
    end
    return contests
end
