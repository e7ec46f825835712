-- `concurrentPerform` calls the body for 1 to n, waits for all, and raises the first error.
local seen, sum = {}, 0
DispatchQueue.concurrentPerform(500, function(i)
    assert(not seen[i])
    seen[i] = true
    if i % 7 == 0 then sleep(0) end
    sum = sum + i
end)
assert(sum == 500 * 501 // 2)
DispatchQueue.concurrentPerform(0, error)
local done = 0
local ok, err = pcall(DispatchQueue.concurrentPerform, 20, function(i)
    done = done + 1
    sleep(0.0001 * (20 - i))
    if i > 3 then error("number " .. i) end
end)
assert(not ok and err:find("number 4$") and done == 20, err)
local total = 0
DispatchQueue.concurrentPerform(4, function(i)
    local count = await(work.compute.primes(i * 10))
    total = total + count
end)
assert(total == 4 + 8 + 10 + 12)
DispatchQueue.concurrentPerform(4, work.compute.primes)
