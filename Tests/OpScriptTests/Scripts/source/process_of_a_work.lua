-- The exit of a process that a work has started is reported, too, independently of the first waiter.
-- expect-stdout: told
local path <const> = os.tmpname()
local watch = DispatchSource.fileSystem(path, { "extend" })
local written = Gate "written"
watch:setEventHandler(function() watch:cancel() written:finish() end)
watch:activate()
local line <const> = path .. ".line"
await(work.process.run { "mkfifo", line })
local child = work.process.shell(("echo $$ >%s; read x <%s; exit 3"):format(path, line), { check = false })
async(function() await(child) end)
await(written)
local source = DispatchSource.process(tonumber(await(work.file.read(path))), { "exit" })
local told = Gate "told"
source:setEventHandler(function()
    -- A kernel before 6.15 does not remember a status that another waiter has taken.
    assert(source.data == 3 or source.data.exit)
    print("told")
    source:cancel()
    told:finish()
end)
source:activate()
io.open(line, "w"):close()
await(told)
assert(await(child).status == 3)
os.remove(path)
os.remove(line)
