-- A file that is replaced, as by `work.file.write`, reports "write" and "delete"; the source continues with the new one.
-- expect-stdout: 3	true
local path <const> = os.tmpname()
local source = DispatchSource.fileSystem(path, { "write", "delete" })
local events, told, replaced = 0, nil, true
source:setEventHandler(function()
    events = events + 1
    replaced = replaced and source.data.write and source.data.delete
    told:finish()
end)
source:activate()
for _ = 1, 3 do
    told = Gate "told"
    await(work.file.write(path, "new"))
    await(told)
end
print(events, replaced)
source:cancel()
os.remove(path)
