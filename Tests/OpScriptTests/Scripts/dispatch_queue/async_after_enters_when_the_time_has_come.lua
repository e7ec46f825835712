-- `asyncAfter` enters the queue when its delay has passed, and delays nothing before; below zero it enters at once.
-- expect-stdout: now before later last
local queue = DispatchQueue "q"
local log = {}
local function note(word) return function() log[#log + 1] = word end end
local far = queue:asyncAfter(3600, error)
queue:asyncAfter(-1, note "now")
queue:sync(note "before")
local start = clock.now()
queue:asyncAfter(0.02, function() log[#log + 1] = "later" assert(clock.now() - start >= 0.02) end)
local last = queue:asyncAfter { 0.04, note "last" }
last:waitUntilFinished()
print(table.concat(log, " "))
far:cancel()
assert(far:waitUntilFinished() and far.outcome == "cancelled")
for _, wrong in ipairs { 0/0, math.huge, "1" } do
    local ok, err = pcall(queue.asyncAfter, queue, wrong, print)
    assert(not ok and err.code == "argument")
end
