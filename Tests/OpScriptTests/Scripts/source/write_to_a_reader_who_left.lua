-- A pipe whose reader has closed it never ends the process: the event has data 0, and writing is an error.
-- expect-stdout: 0
-- expect-stdout: nil	Broken pipe
local pipe = io.popen("exec true", "w")
pipe:setvbuf("no")
local source = DispatchSource.write(pipe)
source:setEventHandler(function()
    if source.data > 0 then return sleep(0.005) end
    print(source.data)
    local written, message = pipe:write("x")
    print(written, message)
    source:cancel()
end)
source:activate()
