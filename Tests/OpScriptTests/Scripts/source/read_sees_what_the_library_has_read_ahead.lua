-- Bytes that Lua's library has read ahead and the script has not taken count as readable.
-- expect-stdout: one
-- expect-stdout: two
-- expect-stdout: three
local pipe = io.popen("printf 'one\\ntwo\\nthree\\n'")
local source = DispatchSource.read(pipe)
source:setEventHandler(function()
    if source.data == 0 then return source:cancel() end
    print(pipe:read("l"))
end)
source:setCancelHandler(function() pipe:close() end)
source:activate()
