-- The exit of a process that a work has started is told, too, whoever waits for it first.
-- expect-stdout: told
local path <const> = os.tmpname()
local watch = DispatchSource.fileSystem(path, { "write" })
local written = Gate "written"
watch:setEventHandler(function() watch:cancel() written:finish() end)
watch:activate()
local child = work.process.shell("echo $$ > " .. path .. "; sleep 0.05; exit 3", { check = false })
async(function() await(child) end)
await(written)
local source = DispatchSource.process(tonumber(await(work.file.read(path))), { "exit" })
local told = Gate "told"
source:setEventHandler(function()
    -- A kernel before 6.15 does not remember what somebody else has asked for.
    assert(source.data == 3 or source.data.exit)
    print("told")
    source:cancel()
    told:finish()
end)
source:activate()
await(told)
assert(await(child).status == 3)
os.remove(path)
