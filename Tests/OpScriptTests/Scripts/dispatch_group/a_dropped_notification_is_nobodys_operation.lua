-- A group that is dropped with a pending `notify` is not an operation that the script forgot to add: nothing is printed.
-- process: own
-- collector: own
local script = os.tmpname()
local file = assert(io.open(script, "w"))
file:write([[
    do
        local group = DispatchGroup()
        group:enter()
        group:notify(DispatchQueue.main, function() end)
        local item = DispatchWorkItem(function() end)
        item:notify(DispatchQueue.main, function() end)
    end
    collectgarbage()
    collectgarbage()
    sleep(0)
]])
file:close()
local command = io.open("/proc/self/cmdline"):read("a"):match("^[^%z]+")
local result = await(work.process.run { command, script })
os.remove(script)
assert(result.errorOutput == "" and result.output == "", result.errorOutput)
