#!/usr/bin/env opscript
-- This source reports that a process has ended. For a child of this process, `data` is its exit status.
-- The script does not keep the source: the run waits for it, and its handler cancels it. With `keepsAlive
-- = false` the run does not wait for the source.
-- In the guide: Dispatch Sources, "Monitoring a Process", listing 4-6

local function monitor(pid, ended)
    local source = DispatchSource.process(pid, { "exit" })
    source:setEventHandler(function()
        ended(source.data)
        source:cancel()
    end)
    source:activate()
    return source
end

-- The script ends if the parent of this process ends.
local statistics <close> = assert(io.open("/proc/self/stat"))
local parent = tonumber(statistics:read("a"):match("^%d+ %(.*%) %a (%d+)"))
local guard = monitor(parent, function()
    print("the parent has gone")
    os.exit(1)
end)
guard.keepsAlive = false
print("the parent is watched", guard.handle == parent)

-- A child first prints its process number.
local child = assert(io.popen("echo $$; exec >&-; exit 3"))
local source = monitor(child:read("n"), function(status) print("the child has ended", status) end)
source:setCancelHandler(function() child:close() end)

-- Linux reports only the exit of a process.
local ok, problem = pcall(DispatchSource.process, parent, { "fork" })
print("fork", ok, problem.code)
