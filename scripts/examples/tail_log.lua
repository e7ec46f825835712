#!/usr/bin/env opscript
-- Prints the lines that are added to a log, as `tail -F` does, even when the log is moved away and replaced by a new one.
--
--     opscript tail_log.lua LOG [PATTERN]
--
-- Only lines in which the Lua pattern PATTERN is found are printed; without it, all. It ends at Ctrl-C. Shows: a source of a
-- file that grows, one of its folder for a file that does not exist yet, and a source for SIGINT that ends a job in order.

local path, pattern = arg[1], arg[2]
if not path or #arg > 2 then
    io.stderr:write("usage: opscript tail_log.lua LOG [PATTERN]\n")
    os.exit(2)
end

local file, log
-- The beginning of a line whose end is not written yet.
local rest = ""

local function show()
    -- A log that was made shorter begins anew.
    local place = file:seek("cur")
    file:seek("set", place <= file:seek("end") and place or 0)
    for line in file:lines("L") do
        rest = rest .. line
        if rest:sub(-1) == "\n" then
            if not pattern or rest:find(pattern) then io.write(rest) end
            rest = ""
        end
    end
    io.stdout:flush()
end

-- Opens the log and prints it, from its beginning or its end on; false while there is none.
local function open(whence)
    file = io.open(path)
    if not file then return false end
    file:seek(whence)
    log = DispatchSource.fileSystem(path, { "write", "delete", "rename" })
    local own, source = file, log
    source:setEventHandler(function()
        show()
        -- Moved away or removed: the folder's source reports the next one.
        if source.data.delete or source.data.rename then
            source:cancel()
            file, log = nil, nil
            open("set")
        end
    end)
    source:setCancelHandler(function() own:close() end)
    source:activate()
    -- Lines that were written between opening and watching.
    show()
    return true
end

local folder = DispatchSource.fileSystem(path:match("^(.*)/[^/]*$") or ".", { "write" })
folder:setEventHandler(function()
    if not file then open("set") end
end)
folder:activate()

local interrupt = DispatchSource.signal("SIGINT")
interrupt:setEventHandler(function()
    for _, source in pairs { interrupt, folder, log } do source:cancel() end
end)
interrupt:activate()

local isThere = open("end")
io.stderr:write("tail_log: follows '", path, isThere and "'\n" or "', which is not there yet\n")
