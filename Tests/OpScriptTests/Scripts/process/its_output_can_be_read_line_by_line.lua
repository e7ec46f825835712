-- `op:lines([stream])` gives the lines of the program that an operation runs, while it runs; a call waits for the next one.
local function read(lines)
    local list = {}
    for line in lines do list[#list + 1] = line end
    return table.concat(list, "|")
end

-- The script sees each line while the program waits for it.
local answer = os.tmpname()
os.remove(answer)
local op = work.process.run {
    "sh", "-c", "echo ready; while [ ! -e $1 ]; do sleep 0.01; done; echo answered; echo problem >&2; printf end", "sh", answer,
}
local lines = op:lines()
assert(lines() == "ready", "an operation in no queue is added")
assert(math.type(op.pid) == "integer" and op.state == "executing")
io.open(answer, "w"):close()
assert(lines() == "answered" and lines() == "end" and lines() == nil and lines() == nil)
assert(op:waitUntilFinished(10) and op.pid == nil)
os.remove(answer)

-- After its end, from the first line; each value has its own place.
assert(read(op:lines()) == "ready|answered|end" and read(op:lines("error")) == "problem")
local failed = work.process.shell("echo one; echo; echo two >&2; exit 3")
pawait(failed)
assert(read(failed:lines()) == "one|" and read(failed:lines("error")) == "two")
assert(read(work.process.shell("true"):lines()) == "")
assert(#read(work.process.shell("head -c 300000 /dev/zero | tr '\\0' x"):lines()) == 300000, "a line of any length")

-- Several readers at once, and many lines.
local many = work.process.shell("seq 1 2000")
local texts = await.all { async(read, many:lines()), async(read, many:lines()) }
local numbers = {}
for number = 1, 2000 do numbers[number] = number end
assert(texts[1] == table.concat(numbers, "|") and texts[2] == texts[1])

-- The lines of each attempt that begins later.
local again = work.process.shell("echo attempt; exit 1")
again.retry, again.allowsFailure = { attempts = 3 }, true
local attempts = again:lines()
OperationQueue():addOperation(again)
assert(read(attempts) == "attempt|attempt|attempt")

-- The end of an operation that never starts, or that is cancelled, is the end of its lines.
local queue = OperationQueue { isSuspended = true }
local never = queue:addOperation(work.process.shell("echo never"))
local reader = async(read, never:lines())
sleep(0)
never:cancel()
queue.isSuspended = false
assert(await(reader) == "")

-- Without a captured output there are none.
local elsewhere = work.process.run { "true", output = "/dev/null" }
local ok, problem = pcall(function() for line in elsewhere:lines() do end end)
assert(not ok and tostring(problem):find("the output of 'process.run' is not captured", 1, true), problem)
for _, other in ipairs { async(print), Gate() } do
    local ok, problem = pcall(other.lines, other)
    assert(not ok and problem.code == "misuse" and tostring(problem):find("runs no program", 1, true))
end
assert(not pcall(op.lines, op, "both"))
