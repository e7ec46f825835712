#!/usr/bin/env opscript
-- This source handles a signal. Its handler is not a signal handler of the system, so it may do anything
-- that a script can do. While the source is active, the signal has no other effect. After the source was
-- cancelled, the signal has its former effect again.
-- In the guide: Dispatch Sources, "Monitoring Signals", listing 4-5

local settings = { level = 1 }
local reloaded = DispatchSemaphore(0)

local hangUp = DispatchSource.signal("SIGHUP")
hangUp:setEventHandler(function(source)
    settings.level = settings.level + source.data
    print("settings read again, level " .. settings.level)
    reloaded:signal()
end)
hangUp:setCancelHandler(function() print("the signal has its former meaning again") end)
hangUp:activate()

-- A program sends the signal to this process.
for _ = 1, 2 do
    await(work.process.shell("kill -HUP $PPID"))
    reloaded:wait()
end
hangUp:cancel()

-- Signals that report a fault of the process are refused, and so are those that cannot be caught.
for _, name in ipairs { "SIGSEGV", "SIGKILL" } do
    local ok, problem = pcall(DispatchSource.signal, name)
    print(name, ok, problem.code)
end
