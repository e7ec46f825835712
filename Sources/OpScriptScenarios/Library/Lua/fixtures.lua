-- `busted.fixtures`: the files beside a file of scenarios.
-- Makes the module `busted.fixtures`.
local inside = ...
local type, io, load, debug, concat, package = type, io, load, debug, table.concat, package

local fixtures = {}
local function check(what, path, isOptional)
    if type(path) == "string" or (isOptional and path == nil) then return end
    inside.misuse(("bad argument #1 to '%s' (string expected, got %s)"):format(what, inside.kind(path)))
end
-- The file of the function that called the module.
local function callingFile()
    local level = 2
    local found = debug and debug.getinfo and debug.getinfo(level, "S")
    while found do
        local path = found.source:match("^@(.+)$")
        if path then return path end
        level = level + 1
        found = debug.getinfo(level, "S")
    end
    return inside.order.file
end
-- The absolute path without `.` and `..`.
local function normal(path)
    if path:sub(1, 1) ~= "/" then
        local preload = package.preload.lfs
        path = (preload and preload().currentdir() or ".") .. "/" .. path
    end
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == ".." then
            parts[#parts] = nil
        elseif part ~= "." then
            parts[#parts + 1] = part
        end
    end
    return "/" .. concat(parts, "/")
end
local function place(path)
    return normal((callingFile():match("^(.*)/[^/]*$") or ".") .. "/" .. (path or ""))
end
local function read(path, isBinary)
    local file, problem = io.open(path, isBinary and "rb" or "r")
    local text = file and file:read("a")
    if file then file:close() end
    if not text then inside.misuse("cannot read '" .. path .. "': " .. (problem or "it is no file")) end
    return text
end
-- The absolute path of a file, from the folder of the calling file.
function fixtures.path(path)
    check("path", path, true)
    local found = place(path)
    return found
end
-- The contents of a file.
function fixtures.read(path, isBinary)
    check("read", path)
    local text = read(place(path), isBinary)
    return text
end
-- The results of a Lua file; the ending .lua may be left out.
function fixtures.load(path)
    check("load", path)
    if not path:find("%.lua$") then path = path .. ".lua" end
    local file = place(path)
    local chunk, problem = load(read(file), "@" .. file)
    if not chunk then inside.misuse(problem) end
    return chunk()
end
package.preload["busted.fixtures"] = function() return fixtures end
