-- 1000 sources and 10000 timers at once need one thread beside those of the script and the workers.
-- process: own
-- expect-stdout: 10000
local function threads()
    local file <close> = io.open("/proc/self/status")
    return tonumber(file:read("a"):match("\nThreads:%s+(%d+)"))
end
local folder <const> = await(work.file.temporary { directory = true })
local before = threads()
local sources, fires = {}, 0
local all = Gate "all timers"
for number = 1, 10000 do
    Timer.scheduledTimer(0.001 * (number % 50), false, function()
        fires = fires + 1
        if fires == 10000 then all:finish() end
    end)
end
local makers = {
    function() return DispatchSource.signal("SIGUSR1") end,
    function() return DispatchSource.fileSystem(folder, { "write" }) end,
    function() return DispatchSource.timer { deadline = 60 } end,
    function() return DispatchSource.userDataAdd() end,
    function() return DispatchSource.read(io.popen("sleep 60")) end,
}
for number = 1, 1000 do
    local make = makers[(number - 1) % (number <= 50 and 5 or 4) + 1]
    local source = make()
    source.keepsAlive = false
    source:setEventHandler(function() sources.told = (sources.told or 0) + 1 end)
    source:activate()
    sources[number] = source
end
-- The thread that waits is new; at most one worker of the file work above may have ended meanwhile.
assert(threads() - before <= 1, threads() - before)
await(all)
await(work.process.shell("kill -USR1 $PPID"))
for _, source in ipairs(sources) do source:cancel() end
sleep(0) sleep(0)
print(fires)
await(work.file.remove(folder))
os.exit(0)
