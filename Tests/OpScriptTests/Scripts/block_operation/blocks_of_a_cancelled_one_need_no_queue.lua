-- Operations that are blocks of a block operation were given to it; they need no queue of their own.
-- process: own
-- expect-stdout: no message
local file = os.tmpname()
local script = assert(io.open(file, "w"))
script:write [[
local op = BlockOperation(work.compute.primes(10), function() end)
op:addExecutionBlock(work.compute.primes(10))
OperationQueue.default:addOperation(op)
op:cancel()
pawait(op)
]]
script:close()
local command = await(work.process.shell("readlink /proc/$PPID/exe")).output:match "[^\n]+"
local pipe = assert(io.popen(("'%s' '%s' 2>&1"):format(command, file)))
local text = pipe:read "a"
pipe:close()
os.remove(file)
print(text == "" and "no message" or text)
