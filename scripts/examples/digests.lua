#!/usr/bin/env opscript
-- Prints the SHA-256 of every file below a directory, as `sha256sum` does, in the order of their names:
--
--     opscript digests.lua DIR > SUMS
--     sha256sum --check SUMS
--
-- Links to files count as the files they lead to; links to directories are not entered; entries that are neither files nor directories are
-- skipped. Files that cannot be read are named on standard error, the others are processed, and the status is 1.

local root = arg[1]
if not root or #arg > 1 then
    io.stderr:write("usage: opscript digests.lua DIR\n")
    os.exit(2)
end

-- A name that begins with a dash must not look like an option to the reader of the sums.
local prefix = root:sub(1, 1) == "-" and "./" .. root or root
if prefix:sub(-1) ~= "/" then prefix = prefix .. "/" end

local failures = 0
local function complain(problem)
    failures = failures + 1
    local message = type(problem) == "string" and problem or problem.message
    -- One line for each file, for names of any bytes.
    io.stderr:write("digests: ", (message:gsub("%c", function(c) return ("\\%03d"):format(c:byte()) end)), "\n")
end

-- The paths of all entries below the directory, except directories. They are found while the digests of earlier
-- ones are computed, so a huge tree takes no more memory than its largest directory.
local function paths()
    local ok, names = pawait(work.file.list(prefix))
    if not ok then
        complain(names)
        os.exit(1)
    end
    local levels = { { path = prefix, names = names, place = 0 } }
    return function()
        while #levels > 0 do
            local level = levels[#levels]
            level.place = level.place + 1
            local name = level.names[level.place]
            if not name then
                levels[#levels] = nil
            else
                local path = level.path .. name
                local found, status = pawait(work.file.stat(path, { follow = false }))
                if found and status.type == "link" then
                    found, status = pawait(work.file.stat(path))
                    -- Entered by its own name if it is in the tree, otherwise left out.
                    if found and status.type == "directory" then status.type = "link" end
                end
                if not found then
                    complain(status)
                elseif status.type == "file" then
                    return path
                elseif status.type == "directory" then
                    local opened, inside = pawait(work.file.list(path))
                    if opened then
                        levels[#levels + 1] = { path = path .. "/", names = inside, place = 0 }
                    else
                        complain(inside)
                    end
                end
            end
        end
    end
end

-- As sha256sum writes a line: a name that would break it is escaped, and a backslash in front of the line says so.
local escapes = { ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r" }
local function line(digest, path)
    local escaped, count = path:gsub("[\\\n\r]", escapes)
    return (count > 0 and "\\" or "") .. digest .. "  " .. escaped
end

-- Digests come in any order; a line is printed as soon as all before it are.
local lines, nextLine = {}, 1
local function finish(place, text)
    lines[place] = text
    while lines[nextLine] ~= nil do
        if lines[nextLine] then print(lines[nextLine]) end
        lines[nextLine] = nil
        nextLine = nextLine + 1
    end
end

local queue = OperationQueue { name = "digests" }
queue:map(paths(), function(path, place)
    return Operation {
        name = path,
        main = function()
            local ok, digest = pawait(work.digest.file("sha256", path))
            if not ok then complain(digest) end
            finish(place, ok and line(digest, path))
        end,
    }
end)

if failures > 0 then os.exit(1) end
