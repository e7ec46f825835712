-- A source of a process reports its exit, with the status of a child that was not reaped yet.
-- expect-stdout: 3
-- expect-stdout: true
local child = io.popen("echo $$; exec >&-; sleep 0.02; exit 3")
local source = DispatchSource.process(child:read("n"), { "exit" })
assert(source.mask.exit and source.mask[1] == "exit")
local told = Gate "told"
source:setEventHandler(function() print(source.data) source:cancel() told:finish() end)
source:activate()
await(told)
child:close()
-- The child of a child: that it has ended is known, its status is not.
local line <const> = os.tmpname()
os.remove(line)
local pipe = io.popen(("mkfifo %s; (read x <%s) >/dev/null 2>&1 & echo $!"):format(line, line))
local number = pipe:read("n")
pipe:close()
local other = DispatchSource.process(number, { "exit" })
local over = Gate "over"
other:setEventHandler(function() over:finish(other.data) end)
other:activate()
io.open(line, "w"):close()
local data = await(over)
print(type(data) == "number" or data.exit)
other:cancel()
os.remove(line)
