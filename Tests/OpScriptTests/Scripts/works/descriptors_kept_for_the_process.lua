-- The last 16 descriptors are for the process itself, which needs some to run Swift's tasks: scripts are refused as if there were none.
-- process: own
local limit = tonumber(io.popen("ulimit -n"):read())
-- A large limit is not worth the time.
if not limit or limit > 100000 then
    print("skipped")
    return
end
local name = os.tmpname()
local kept = assert(io.open(name, "w"))
kept:write("kept")
kept:close()

local files = {}
while true do
    local file, reason, code = io.open("/dev/null")
    if not file then
        assert(reason == "/dev/null: Too many open files" and code == 24, reason)
        break
    end
    files[#files + 1] = file
end
assert(#files > limit / 2 and #files <= limit - 16, #files .. " of " .. limit)

-- Each function that opens something refuses in its own way, without an earlier effect.
for _, mode in ipairs { "w", "a", "r+" } do
    local file, reason = io.open(name, mode)
    assert(not file and reason == name .. ": Too many open files", reason)
end
local file, reason = io.tmpfile()
assert(not file and reason == "Too many open files", reason)
file, reason = io.popen("echo more >> " .. name)
assert(not file and reason:find("Too many open files", 1, true), reason)
for _, open in ipairs { io.lines, io.input, io.output } do
    local ok, message = pcall(open, name)
    assert(not ok and message:find("cannot open file '" .. name .. "' (Too many open files)", 1, true), message)
end
local ok, problem = pawait(work.file.read(name))
assert(not ok and problem.message:find("too many open files", 1, true), problem.message)
-- A process source takes a descriptor, too.
local source = DispatchSource.process(1)
ok, problem = pcall(source.activate, source)
assert(not ok and problem.message:lower():find("too many open files", 1, true), tostring(problem))
-- Works that open nothing still run.
assert(io.output() == io.stdout and io.input() == io.stdin)
files[1]:write("")
assert(io.type(files[1]) == "file")

table.remove(files):close()
assert(io.open(name):read("a") == "kept")
os.remove(name)
