-- Two sources of one descriptor both get its events; bytes that the first one has read are not reported to the second one as the end.
-- expect-stdout: data
-- expect-stdout: ends	2
local pipe = io.popen("echo data; sleep 0.05")
local ends = 0
for _ = 1, 2 do
    local source = DispatchSource.read(pipe)
    source:setEventHandler(function()
        if source.data > 0 then
            io.write(pipe:read(source.data))
            return
        end
        ends = ends + 1
        source:cancel()
        if ends == 2 then print("ends", ends) end
    end)
    source:activate()
end
