-- All that targets a serial queue runs one at a time together, in the order of addition.
-- expect-stdout: 1 2 3 4 5 6 7 8 9
local target = DispatchQueue "target"
local queues = {
    DispatchQueue { label = "a", target = target },
    DispatchQueue { label = "b", target = target, attributes = "concurrent" },
    target,
}
local running, log = 0, {}
for i = 1, 9 do
    queues[i % 3 + 1]:async(function()
        running = running + 1
        assert(running == 1)
        sleep(0.001)
        running = running - 1
        log[#log + 1] = i
    end)
end
queues[2]:sync(function() end)
print(table.concat(log, " "))
