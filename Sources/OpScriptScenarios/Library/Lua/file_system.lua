-- `lfs`: the functions of LuaFileSystem that tests use, for scripts that may reach files.
-- Offers the module where the host has registered `FileSystemFunctions`, and takes these from the globals.
local inside = ...
local files = _G.opscriptFiles
if not files then return end
_G.opscriptFiles = nil
local type, error, tostring, ipairs, next, setmetatable = type, error, tostring, ipairs, next, setmetatable
local lfs = { _VERSION = "LuaFileSystem of OpScript" }

local function checkPath(name, place, path)
    if type(path) == "number" then path = tostring(path) end
    if type(path) ~= "string" then
        error("bad argument #" .. place .. " to '" .. name .. "' (string expected, got " .. inside.kind(path)
            .. ")", 3)
    end
    return path
end
local function answer(result)
    if type(result) == "table" and result.problem then return nil, result.problem, result.code end
    return result
end

local function attributes(name, isLink, path, wanted)
    path = checkPath(name, 1, path)
    local found = files.attributes(path, isLink)
    if found.problem then
        return nil, "cannot obtain information from file '" .. path .. "': " .. found.problem, found.code
    end
    if type(wanted) == "table" then
        for key, value in next, found do wanted[key] = value end
        return wanted
    end
    if wanted == nil then return found end
    if found[wanted] == nil then error("invalid attribute name '" .. tostring(wanted) .. "'", 3) end
    return found[wanted]
end
function lfs.attributes(path, wanted) return attributes("attributes", false, path, wanted) end
function lfs.symlinkattributes(path, wanted) return attributes("symlinkattributes", true, path, wanted) end

local directory = { __name = "directory metatable" }
directory.__index = directory
function directory:next()
    if not self.names then error("calling 'next' on a closed directory", 2) end
    self.place = self.place + 1
    local name = self.names[self.place]
    if not name then self:close() end
    return name
end
function directory:close() self.names = nil end
directory.__close = directory.close
function lfs.dir(path)
    path = checkPath("dir", 1, path)
    local names = files.names(path)
    if names.problem then error("cannot open " .. path .. ": " .. names.problem, 2) end
    local object = setmetatable({ names = names, place = 0 }, directory)
    return directory.next, object, nil, object
end

function lfs.mkdir(path) return answer(files.makeFolder(checkPath("mkdir", 1, path))) end
function lfs.rmdir(path) return answer(files.removeFolder(checkPath("rmdir", 1, path))) end
function lfs.currentdir() return answer(files.currentFolder()) end
function lfs.chdir(path)
    path = checkPath("chdir", 1, path)
    local result = files.changeFolder(path)
    if type(result) == "table" then
        return nil, "Unable to change working directory to '" .. path .. "'\n" .. result.problem .. "\n"
    end
    return true
end
function lfs.touch(path, access, modification)
    return answer(files.touch(checkPath("touch", 1, path), access, modification or access))
end
function lfs.link(old, new, isSymbolic)
    return answer(files.link(checkPath("link", 1, old), checkPath("link", 2, new), not not isSymbolic))
end
-- The same bytes in each mode, as on every Unix.
function lfs.setmode(_, mode)
    if mode ~= "binary" and mode ~= "text" then error("bad argument #2 to 'setmode' (binary or text)", 2) end
    return true, "binary"
end
for _, name in ipairs { "lock", "unlock", "lock_dir" } do
    lfs[name] = function()
        error("lfs." .. name .. " is not there: a lock of a process would exclude nothing between scenarios, "
            .. "which run in one process", 2)
    end
end
package.preload.lfs = function() return lfs end
-- LuaFileSystem makes itself a global, and busted has loaded it before the tests.
_G.lfs = lfs
