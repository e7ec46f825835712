-- arguments: --virtual
-- With `key`, each key has the rate for itself; an operation that waits holds up no operation of another key.
local seen = {}
local queue = OperationQueue { rate = { 2, per = 1, key = function(op) seen[#seen + 1] = op.name return op.userInfo end } }
assert(type(queue.rate.key) == "function")
local starts = {}
local function add(host, count)
    for i = 1, count do
        queue:addOperation(Operation { name = host .. i, userInfo = host, main = function(self)
            starts[self.name] = clock.now()
        end })
    end
end
add("a", 5)
add("b", 3)
assert(#seen == 8 and seen[1] == "a1", "once for each, when it is added")
queue:waitUntilAllOperationsAreFinished()
local function expect(host, expected)
    local times = {}
    while starts[host .. #times + 1] do times[#times + 1] = string.format("%g", starts[host .. #times + 1]) end
    assert(table.concat(times, " ") == expected, host .. ": " .. table.concat(times, " "))
end
expect("a", "0 0 1 1 2")
expect("b", "0 0 1")

-- Keys are strings, numbers and booleans, 1 and 1.0 are one key, and nil is without a limit.
local kinds = OperationQueue { rate = { 1, per = 1, key = function(op) return op.userInfo end } }
local begin = clock.now()
for _, key in ipairs { 1, 1.0, "1", true, 1.5 } do kinds:addOperation(Operation { userInfo = key, main = function() end }) end
for _ = 1, 20 do kinds:addOperation(function() end) end
kinds:waitUntilAllOperationsAreFinished()
assert(clock.now() - begin == 1, clock.now() - begin)

-- A key without a number has no rate; it is for `widthPerKey`.
local free = OperationQueue { rate = { key = function() return "x" end } }
assert(free.rate[1] == nil and free.rate.per == nil)
begin = clock.now()
for _ = 1, 20 do free:addOperation(function() end) end
free:waitUntilAllOperationsAreFinished()
assert(clock.now() == begin)
