-- A file that is watched by two of its names: removing one of them is the end for that source only.
-- expect-stdout: first	delete
-- expect-stdout: second	write
local first <const> = os.tmpname()
local second <const> = first .. ".link"
await(work.process.shell(("ln %s %s"):format(first, second)))
local told
for name, path in pairs { first = first, second = second } do
    local source = DispatchSource.fileSystem(path, { "write", "delete" })
    source:setEventHandler(function()
        print(name, table.concat(source.data, " "))
        source:cancel()
        told:finish()
    end)
    source:activate()
end
told = Gate "removed"
os.remove(first)
await(told)
told = Gate "written"
await(work.process.shell("echo x >> " .. second))
await(told)
os.remove(second)
