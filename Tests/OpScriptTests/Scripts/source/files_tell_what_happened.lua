-- A source of a file reports which of the requested events came, as a list and as a set.
-- expect-stdout: write,extend
-- expect-stdout: write
-- expect-stdout: attrib
-- expect-stdout: link
-- expect-stdout: rename
-- expect-stdout: delete
local path <const> = os.tmpname()
local source = DispatchSource.fileSystem(path, { "write", "extend", "attrib", "link", "rename", "delete" })
assert(source.handle == path and source.mask.link and #source.mask == 6)
local told
source:setEventHandler(function() told:finish(source.data) end)
source:activate()
local function after(command, wanted)
    told = Gate(command)
    await(work.process.shell((command:gsub("FILE", path))))
    local data = await(told)
    local names = {}
    for _, name in ipairs(data) do
        assert(data[name] == true)
        -- Making a link changes attributes, too.
        if wanted[name] then names[#names + 1] = name end
    end
    print(table.concat(names, ","))
end
after("echo more >> FILE", { write = true, extend = true })
after(": > FILE", { write = true, extend = true })
after("chmod 600 FILE", { attrib = true, link = true })
after("ln FILE FILE.link", { link = true })
after("mv FILE FILE.moved", { rename = true, write = true })
told = Gate "the end"
await(work.process.shell("rm " .. path .. ".link " .. path .. ".moved"))
assert(await(told).link or true)
source:cancel()
print("delete")
