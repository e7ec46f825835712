-- Runs a script with the program under test.
local Program = {}
Program.__index = Program

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read(path)
    local file = io.open(path, "rb")
    if not file then return "" end
    local text = file:read("a")
    file:close()
    return text
end

function Program.new(path)
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir -p " .. quote(folder))
    return setmetatable({ path = path, folder = folder }, Program)
end

-- The result of one run: { status, lines, errors, isKilled }. It is killed after `limit` seconds.
function Program:run(text, options, limit)
    local script = self.folder .. "/job.lua"
    local file = assert(io.open(script, "w"))
    file:write(text)
    file:close()
    local output, errors = self.folder .. "/output", self.folder .. "/errors"
    local command = ("timeout -k 1 %d %s --quiet %s %s > %s 2> %s < /dev/null"):format(
        limit, quote(self.path), options, quote(script), quote(output), quote(errors))
    local _, _, status = os.execute(command)
    local lines = {}
    for line in read(output):gmatch("[^\n]+") do lines[#lines + 1] = line end
    return { status = status, lines = lines, errors = read(errors), isKilled = status == 124 or status == 137 }
end

-- Starts a loop that keeps one core busy; returns a function that ends it.
function Program.busyLoop()
    local pipe = assert(io.popen("sh -c 'while :; do :; done' > /dev/null 2>&1 & echo $!"))
    local pid = pipe:read("l")
    pipe:close()
    return function() os.execute("kill " .. pid) end
end

function Program:close() os.execute("rm -r " .. quote(self.folder)) end

return Program
