-- Waits for one operation resume in the order in which they began, even if some of them ended before it.
local gate, log = Gate(), {}
local waiters = {}
for index = 1, 2000 do
    waiters[index] = async(function()
        local ended = gate:waitUntilFinished(index % 5 == 0 and 0 or nil)
        if ended then log[#log + 1] = index end
    end)
end
sleep(0)
waiters[1]:cancel()
waiters[7]:cancel()
sleep(0)
gate:finish()
for _, waiter in ipairs(waiters) do pawait(waiter) end
local expected = {}
for index = 2, 2000 do
    if index % 5 ~= 0 and index ~= 7 then expected[#expected + 1] = index end
end
assert(table.concat(log, " ") == table.concat(expected, " "), table.concat(log, " ", 1, 20))
-- One wait for the same operation, many times.
local other = Gate()
local list = {}
for index = 1, 50000 do list[index] = other end
async(function() other:finish() end)
assert(#await.all(list) == 0)
