-- fail, delay, hold and release inject faults into works, determined by the seed.
-- arguments: --virtual --seed 7
simulate("process.run", { duration = 1, result = "ok" })

local function run() return pawait(work.process.run { "x" }) end

fail("process.run", { error = "refused" })
local ok, problem = run()
assert(not ok and problem.message == "refused", problem)
fail("process.*", { probability = 0.5 })
local failures = 0
for _ = 1, 200 do
    local ok, problem = run()
    if not ok then
        failures = failures + 1
        assert(tostring(problem):find("failed on purpose"), problem)
    end
end
assert(failures > 60 and failures < 140, failures)
fail("process.*", { probability = 0 })
assert(run())

delay("process.run", 2)
local start = clock.now()
assert(run() and clock.now() - start == 3)
delay("process.run", { 1, 4 })
for _ = 1, 20 do
    start = clock.now()
    assert(run())
    assert(clock.now() - start >= 2 and clock.now() - start <= 5)
end
delay("process.run", 0)

hold("process.*")
local first = OperationQueue.default:addOperation(work.process.run { "x" })
local second = OperationQueue.default:addOperation(work.process.run { "y" })
sleep(100)
assert(first.isExecuting and second.isExecuting)
second:cancel()
sleep(0)
assert(second.isFinished and second.isCancelled)
release("process.*")
await(first)
assert(clock.now() >= 101 and run())

-- A delay can be interrupted, and real and virtual sleeps take part.
delay("sleep", 10)
local nap = OperationQueue.default:addOperation(work.sleep(1))
sleep(5)
nap:cancel()
sleep(0)
assert(nap.isFinished)
start = clock.now()
await(work.sleep(1))
assert(clock.now() - start == 11)
fail("file.read", { error = { code = 5 } })
ok, problem = pawait(work.file.read("/nowhere"))
assert(not ok and problem.code == 5)
