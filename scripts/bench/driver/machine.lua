-- The properties of this machine, and its missing programs.
local machine = {}

local function firstLine(command)
    local pipe <close> = assert(io.popen(command .. " 2>/dev/null"))
    return pipe:read("l") or ""
end

local function succeeds(command) return os.execute(command .. " >/dev/null 2>&1") == true end

-- nil if the command exists, otherwise its name.
function machine.lacksCommand(name)
    if not succeeds("command -v " .. name) then return name end
end

-- nil if lua5.4 finds the module, otherwise its name.
function machine.lacksModule(name)
    if not succeeds(("lua5.4 -e 'require \"%s\"'"):format(name)) then return name end
end

-- A Python that has the module; nil if there is none.
function machine.pythonWith(module)
    for _, program in ipairs { "python3", "/usr/bin/python3" } do
        if succeeds(("%s -c 'import %s'"):format(program, module)) then return program end
    end
end

-- Compiles a C++ program; returns its path, or nil if a compiler or a library is missing.
function machine.compiled(source, program, library)
    local command = "g++ -O2 -std=c++17 -I/usr/include/lua5.4 '%s' -o '%s' -l%s"
    if succeeds(command:format(source, program, library)) then return program end
end

-- Compiles a C module for lua5.4; returns its folder, or nil if a compiler or Lua's headers are missing.
function machine.compiledModule(source, folder, name)
    local command = "g++ -O2 -x c -shared -fPIC -I/usr/include/lua5.4 '%s' -o '%s/%s.so'"
    if succeeds(command:format(source, folder, name)) then return folder end
end

-- Words before a command that keep it on one processor; none if there is no taskset. A neighbour that slows one of the
-- processors then slows all compared programs.
function machine.onOneProcessor()
    local first = firstLine "sed -n 's/^Cpus_allowed_list:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/self/status"
    if first == "" or machine.lacksCommand "taskset" then return {} end
    return { "taskset", "-c", first }
end

-- Prefaults the system's free memory. A virtual machine may have returned it to its host, which supplies it again page by
-- page, ten times as slowly: the first program would pay for all.
function machine.warmMemory(bytes)
    os.execute(("lua5.4 -e 'local _ = (\"x\"):rep(%d)'"):format(bytes // 2))
end

function machine.temporaryFolder()
    local folder = firstLine "mktemp -d"
    assert(folder ~= "", "mktemp gave no folder")
    return folder
end

-- One line each: the processor, the load of the last minute, the versions of the peers.
function machine.description()
    local lines = {}
    local processor = firstLine "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo"
    lines[1] = ("%s cores of %s"):format(firstLine "nproc", processor == "" and "an unknown processor" or processor)
    lines[2] = "load before: " .. (firstLine "cat /proc/loadavg"):match("^%S*")
    lines[3] = firstLine "uname -sr" .. ", " .. firstLine "lua5.4 -v"
    return lines
end

return machine
