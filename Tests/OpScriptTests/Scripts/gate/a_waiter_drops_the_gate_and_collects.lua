-- A waiter may drop the operation and collect all garbage before anything else happens; new objects are not affected.
for _ = 1, 20 do
    local gate = Gate "first"
    collectgarbage()
    Timer.scheduledTimer(0, false, function(timer) gate:finish() gate = nil timer:invalidate() end)
    await(gate)
    gate = nil
    collectgarbage()
    local gates = {}
    for i = 1, 10 do gates[i] = Gate("next " .. i) end
    collectgarbage()
    for _ = 1, 5000 do local _ = { {} } end
    sleep(0)
    for i = 1, 10 do
        Timer.scheduledTimer(0, false, function() gates[i]:finish(i) end)
        assert(await(gates[i]) == i)
    end
end
