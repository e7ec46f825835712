-- `asyncAfter` enters the queue when its delay has passed, behind what is there then, and holds nobody back before.
-- expect-stdout: now before later last
local queue = DispatchQueue "q"
local log = {}
local function note(word) return function() log[#log + 1] = word end end
local start = clock.now()
queue:asyncAfter(0.03, function() log[#log + 1] = "later" assert(clock.now() - start >= 0.03) end)
queue:asyncAfter(-1, note "now")
queue:sync(note "before")
local last = queue:asyncAfter { 0.06, note "last" }
last:waitUntilFinished()
print(table.concat(log, " "))
for _, wrong in ipairs { 0/0, math.huge, "1" } do
    local ok, err = pcall(queue.asyncAfter, queue, wrong, print)
    assert(not ok and err.code == "argument")
end
