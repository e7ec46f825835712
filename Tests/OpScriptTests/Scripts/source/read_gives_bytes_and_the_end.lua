-- A read source of a pipe has the number of bytes that can be read; its end is an event with data 0.
-- expect-stdout: hello
-- expect-stdout: world
-- expect-stdout: end
local pipe = io.popen("echo hello; sleep 0.05; echo world")
local source = DispatchSource.read(pipe)
assert(math.type(source.handle) == "integer" and source.handle > 2)
source:setEventHandler(function()
    if source.data == 0 then
        print("end")
        source:cancel()
        return
    end
    io.write(pipe:read(source.data))
end)
source:setCancelHandler(function() pipe:close() end)
source:activate()
