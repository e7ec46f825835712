-- rest.lua [SECONDS]: what 1000 active sources and 10000 scheduled timers cost while nothing happens: processor time in percent of one
-- core, threads, and how often a thread was woken. Run it manually: it has no bar, since it needs seconds for a result.
local seconds = tonumber(arg[1] or 5)
local path <const> = os.tmpname()
local pipes = {}
local makers = {
    function() return DispatchSource.signal("SIGUSR1") end,
    function() return DispatchSource.fileSystem(path, { "write" }) end,
    function() return DispatchSource.timer { deadline = 3600, repeating = 1 } end,
    function()
        pipes[#pipes + 1] = io.popen("exec sleep " .. seconds + 5)
        return DispatchSource.read(pipes[#pipes])
    end,
}
local function status(name)
    local file <close> = io.open("/proc/self/status")
    return tonumber(file:read("a"):match("\n" .. name .. ":%s+(%d+)"))
end

for number = 1, 1000 do
    local source = makers[number % (number <= 80 and 4 or 3) + 1]()
    source:setEventHandler(function() error("something has happened") end)
    source.keepsAlive = false
    source:activate()
end
for _ = 1, 10000 do
    Timer.scheduledTimer { interval = 3600, repeats = true, keepsAlive = false, block = function() end }
end
sleep(0.5)
local used, start, wakes = os.clock(), clock.now(), status("voluntary_ctxt_switches")
sleep(seconds)
print(("rest: %.3f %% of a core, %d threads, %d wakes of the script thread in %g s"):format(
    (os.clock() - used) / (clock.now() - start) * 100, status("Threads"), status("voluntary_ctxt_switches") - wakes, seconds))
os.remove(path)

os.exit(0)
