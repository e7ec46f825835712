-- Processes leave no descriptor open, however they ended.
-- expect-status: 1
-- expect-stdout: none is left
-- process: own
local function count() return #await(work.file.list("/proc/self/fd")) end

local target = await(work.file.temporary())
local queue = OperationQueue()
queue.maxConcurrentOperationCount = 4

local function batch(times)
    for i = 1, times do
        queue:addOperation(work.process.run { "true" })
        queue:addOperation(work.process.run { "false" })
        queue:addOperation(work.process.shell("echo out; echo err >&2", { input = "words" }))
        queue:addOperation(work.process.shell("kill -9 $$"))
        queue:addOperation(work.process.shell("echo out", { output = target }))
        queue:addOperation(work.process.run { "true", output = "inherit" })
        queue:addOperation(work.process.run { "true", output = "/no/such/folder/file" })
        queue:addOperation(work.process.run { "true", cwd = "/no/such", input = "words" })
        queue:addOperation(work.process.run { "/no/such", input = "words" })
        queue:addOperation(work.process.run { "no-such-program" })
        local op = work.process.run { "sleep", "1000", grace = 0 }
        queue:addOperation(op)
        op:cancel()
    end
    queue:waitUntilAllOperationsAreFinished()
end

batch(5)
local before = count()
batch(40)
local after = count()
-- Each kind was there forty times; a few descriptors may belong to other things.
assert(after < before + 10, before .. " descriptors before, " .. after .. " after")
os.remove(target)
print("none is left")
