-- A simulated work can be cancelled, limited and retried, and its result can be an argument.
-- arguments: --virtual
simulate("process.run", { duration = 100, result = { status = 0 } })
local long = OperationQueue():addOperation(work.process.run { "make" })
sleep(1)
assert(long.isExecuting)
long:cancel()
long:waitUntilFinished()
assert(long.outcome == "cancelled" and clock.now() == 1)

local limited = Operation { work = "process.run", args = { { "make" } }, timeout = 5 }
local ok, problem = pawait(limited)
assert(not ok and problem.code == "timeout" and clock.now() == 6)

local count = 0
simulate("process.run", function()
    count = count + 1
    return { duration = 1, error = count < 3 and "busy" or nil, result = "done" }
end)
local stubborn = Operation { work = "process.run", args = { { "make" } }, retry = { attempts = 5, delay = 10 } }
assert(await(stubborn) == "done" and stubborn.attempt == 3 and clock.now() == 29, clock.now())

simulate("file.read", { result = "text" })
assert(await(work.digest.md5(work.file.read("nowhere"))) == await(work.digest.md5("text")))
local given
simulate("file.write", function(path, data) given = path .. ":" .. data end)
await(work.file.write("out", work.file.read("nowhere")))
assert(given == "out:text")
