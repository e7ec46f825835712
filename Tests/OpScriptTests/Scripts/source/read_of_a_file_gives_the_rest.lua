-- Regular files are always ready: data is the number of bytes between the offset and the end.
-- expect-stdout: 10	0123
-- expect-stdout: 6	4567
-- expect-stdout: 2	89
-- expect-stdout: 0	nil
local path <const> = os.tmpname()
await(work.file.write(path, "0123456789"))
local file = assert(io.open(path))
local source = DispatchSource.read(file)
source:setEventHandler(function()
    print(source.data, file:read(4))
    if source.data == 0 then source:cancel() end
end)
source:setCancelHandler(function() file:close() os.remove(path) end)
source:activate()
