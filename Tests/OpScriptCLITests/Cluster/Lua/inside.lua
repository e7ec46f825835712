-- Blocks and groups: their works run where their queue is, and hold no thread while they wait for a node.
local way = ...
local q = OperationQueue { on = "slurm", pilots = way == "pilots" and { max = 2 } or nil }
local function sh(line) return work.process.run { "sh", "-c", line } end
local function place() return sh 'if [ -n "$SLURM_JOB_ID" ]; then echo node; else echo here; fi' end

local block = BlockOperation(place(), function() return "script" end, place())
q:addOperation(block)
local first, second, third = await(block)
assert(first.output == "node\n" and second == "script" and third.output == "node\n")

local inner, nested = place(), place()
local group = GroupOperation { inner, GroupOperation { nested }, BlockOperation(place()) }
q:addOperation(group)
await(group)
assert(inner.result.output == "node\n" and nested.result.output == "node\n")

-- In the main queue, they run here.
local own = place()
OperationQueue.main:addOperation(GroupOperation { own })
assert(await(own).output == "here\n")

-- A group that is refused is as it was before.
local image = await(work.image.read "picture.ppm")
local afterwards, deep, refused = place(), place(), nil
refused = GroupOperation { afterwards, GroupOperation { deep }, work.image.mono(image) }
local ok, err = pcall(q.addOperation, q, refused)
assert(not ok and tostring(err):find("its argument 1 is an Image", 1, true), tostring(err))
OperationQueue { name = "here" }:addOperation(refused)
await(refused)
assert(afterwards.result.output == "here\n" and deep.result.output == "here\n")

-- An operation that is on the cluster already stays there if it is refused.
local busy = sh "sleep 1; echo $SLURM_JOB_ID"
q:addOperation(busy)
assert(not pcall(q.addOperation, q, busy))
assert(#await(busy).output > 1)

-- An attempt of a block has the options that its works had before.
local flaky = sh 'test "$SLURM_CPUS_PER_TASK" = 2 && test -e flag || { touch flag; exit 1; }'
flaky.cluster = { cpus = 2 }
local again = BlockOperation(flaky)
again.retry = { attempts = 2 }
if way == "jobs" then
    q:addOperation(again)
    await(again)
end

-- Many bodies that wait for a node.
if way == "jobs" then
    local waiting, last = GroupOperation {}, nil
    for _ = 1, 40 do
        last = sh "true"
        last.cluster = { arguments = { "--hold" } }
        waiting:addOperation(last)
    end
    q:addOperation(waiting)
    while not (last.progress.localizedDescription or ""):find "pending" do sleep(0.05) end
    local threads = #await(work.file.list "/proc/self/task")
    assert(threads < 30, threads)
    waiting:cancel()
    assert(waiting:waitUntilFinished(60) and last.outcome == "cancelled")
end
print(way, "fine")
