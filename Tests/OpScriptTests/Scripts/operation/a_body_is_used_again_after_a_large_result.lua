-- Each call of a work has its own arguments and results, independently of earlier calls: nothing of a large result is left over.
local function round(size)
    local text = work.json.decode(("[%s0]"):format(("1,"):rep(size)))
    local value = await(text)
    assert(#value == size + 1 and value[1] == (size > 0 and 1 or 0) and value[size + 1] == 0)
    assert(#text:results() == size + 1)
end
for _ = 1, 5 do
    round(20000)
    round(0)
    assert(await(work.compute.primes(10)) == 4)
    assert(await(work.json.decode("null")) == json.null)
    assert(await(work.sleep(0)) == nil)
    assert(await(work.digest.crc32("")) == "00000000")
end
-- The same with many at a time, in changing order.
local operations, expected = {}, {}
for i = 1, 300 do
    local size = i % 3 == 0 and 3000 or i % 3
    operations[i] = work.json.encode { n = i, text = ("x"):rep(size) }
    expected[i] = size
end
for i, text in ipairs(await.all(operations)) do
    local value = json.decode(text)
    assert(value.n == i and #value.text == expected[i])
end
local memory = collectgarbage("count")
operations = nil
collectgarbage() sleep(0) collectgarbage()
assert(collectgarbage("count") < memory)
