-- A script may have many waits at once; none of them takes a thread.
local gate, ops = Gate "gate", {}
for i = 1, 2000 do
    ops[i] = async(function(n)
        await(gate)
        return n
    end, i)
end
sleep(0)
gate:finish()
local results = await.all(ops)
assert(#results == 2000 and results[1] == 1 and results[2000] == 2000)
