-- A queue on a cluster is a queue like any other.
local way = ...
local options = { on = "slurm", maxConcurrentOperationCount = 3, pilots = way == "pilots" and { max = 3 } or nil }
local q = OperationQueue(options)
local function sh(line, name)
    local op = work.process.run { "sh", "-c", line }
    if name then op.name = name end
    return op
end

-- Width, and a barrier.
local running, most, order = 0, 0, {}
local function watched(name, seconds)
    local op = sh("sleep " .. seconds, name)
    op:observe("isExecuting", function(o)
        running = running + (o.isExecuting and 1 or -1)
        most = math.max(most, running)
    end)
    op.completionBlock = function() order[#order + 1] = name end
    return op
end
for i = 1, 5 do q:addOperation(watched("before", 0.1)) end
q:addBarrierBlock(watched("barrier", 0.1))
for i = 1, 2 do q:addOperation(watched("after", 0.1)) end
q:waitUntilAllOperationsAreFinished()
sleep(0)
assert(most <= 3, most)
assert(table.concat(order, " ") == "before before before before before barrier after after", table.concat(order, " "))

-- Suspension.
q.isSuspended = true
local held = sh "true"
q:addOperation(held)
assert(not held:waitUntilFinished(0.3) and held.state == "ready")
q.isSuspended = false
assert(held:waitUntilFinished(60))

-- Dependencies on operations elsewhere, and conditions.
local here = Operation(function() return "x" end)
local there = sh "exit 4"
there:addDependency(here)
local always = sh "echo always"
always:addDependency(there, "failed")
local never = sh "echo never"
never:addDependency(there)
q:addOperations { there, always, never }
OperationQueue.default:addOperation(here)
assert(await(always).output == "always\n")
assert(never:waitUntilFinished(60) and never.outcome == "skipped")
assert(not pawait(there))

-- Retries: the attempts run one after the other.
local flaky = sh "if [ -e flag ]; then echo second; else touch flag; exit 1; fi"
flaky.retry = { attempts = 3, delay = 0.01 }
q:addOperation(flaky)
assert(await(flaky).output == "second\n" and flaky.attempt == 2)

-- Time limits: the wait for a node does not count.
local slow = sh "sleep 60"
slow.timeout = 0.5
q:addOperation(slow)
local ok, err = pawait(slow)
assert(not ok and err.code == "timeout", tostring(err))

-- Cancellation, while the body runs.
local long = sh "sleep 60"
q:addOperation(long)
while not (long.progress.localizedDescription or ""):find "^on " do sleep(0.05) end
long:cancel()
assert(long:waitUntilFinished(60) and long.outcome == "cancelled")

-- Many at once.
local outputs = q:map({ "a", "bb", "ccc" }, function(text) return sh("printf %s " .. text) end)
assert(outputs[1].output == "a" and outputs[3].output == "ccc")
print(way, "fine")
