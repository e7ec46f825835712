-- Only the requested events are reported.
-- expect-stdout: delete
local path <const> = os.tmpname()
local source = DispatchSource.fileSystem(path, { "delete" })
source:setEventHandler(function()
    for _, name in ipairs(source.data) do print(name) end
    source:cancel()
end)
source:activate()
await(work.process.shell("echo x >> " .. path .. "; chmod 600 " .. path .. "; rm " .. path))
local ok, problem = pcall(DispatchSource.fileSystem, ".", { "revoke" })
assert(not ok and problem:find("Linux does not revoke open files", 1, true), problem)
