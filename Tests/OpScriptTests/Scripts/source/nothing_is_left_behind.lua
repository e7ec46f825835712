-- 100000 sources made and dropped leave no memory, descriptor, watch or thread behind.
-- measures: memory
-- process: own
-- expect-stdout: clean
local function status(name)
    local file <close> = io.open("/proc/self/status")
    return tonumber(file:read("a"):match("\n" .. name .. ":%s+(%d+)"))
end
-- The lowest number that is free: none is left behind below it.
local function descriptors()
    local file <close> = io.open("/dev/null", "w")
    return DispatchSource.write(file).handle
end
local path <const> = os.tmpname()
local makers = {
    function() return DispatchSource.timer { deadline = 60, repeating = 1 } end,
    function() return DispatchSource.signal("SIGUSR1") end,
    function() return DispatchSource.fileSystem(path, { "write" }) end,
    function() return DispatchSource.userDataAdd() end,
    function() return DispatchSource.read(0) end,
}
local function round(count)
    for number = 1, count do
        local source = makers[number % #makers + 1]()
        source:setEventHandler(function() return source end)
        source:setCancelHandler(function() end)
        local way = number // #makers % 4
        if way > 0 then source:activate() end
        if way == 1 then source:suspend() end
        if way > 1 then source:cancel() end
        if number % 1000 == 0 then sleep(0) end
    end
    sleep(0) sleep(0)
    collectgarbage() collectgarbage()
end
round(5000)
local lua, memory, open, threads = collectgarbage("count"), status("VmRSS"), descriptors(), status("Threads")
round(100000)
assert(collectgarbage("count") < lua + 300, ("%d KiB of Lua more"):format((collectgarbage("count") - lua) // 1))
assert(status("VmRSS") < memory + 8192, ("%d KiB of memory more"):format(status("VmRSS") - memory))
assert(descriptors() == open, ("%d descriptors more"):format(descriptors() - open))
assert(status("Threads") <= threads)
print("clean")
os.remove(path)
