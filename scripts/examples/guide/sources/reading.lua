#!/usr/bin/env opscript
-- A read source calls its handler whenever the descriptor has something to read. `data` is the number of
-- bytes that can be read without blocking, and 0 means the end. The handler then cancels the source, and
-- the cancellation handler closes the file.
-- In the guide: Dispatch Sources, "Reading Data from a Descriptor", listing 4-2

-- Calls `process` with all that was read, and returns the source, which may be cancelled before.
local function processContents(file, process)
    local source = DispatchSource.read(file, DispatchQueue.global())
    local parts = {}
    source:setEventHandler(function()
        if source.data > 0 then
            parts[#parts + 1] = file:read(source.data)
        else
            source:cancel()
        end
    end)
    source:setCancelHandler(function()
        file:close()
        process(table.concat(parts))
    end)
    source:activate()
    return source
end

local finished = DispatchGroup()
finished:enter()
processContents(assert(io.popen("printf 'one\\ntwo\\n'; printf 'three\\n'")), function(text)
    local lines = 0
    for line in text:gmatch("[^\n]+") do
        lines = lines + 1
        print(lines, line)
    end
    finished:leave()
end)
print("the script does something else")
finished:wait()
