#!/usr/bin/env opscript
-- A write source calls its handler whenever the descriptor has room, so a slow reader does not block the
-- script. `data` is the number of bytes that can be written without blocking; 0 means that the reader has
-- gone. After the last byte, the handler cancels the source, and the cancellation handler closes the file.
-- In the guide: Dispatch Sources, "Writing Data to a Descriptor", listing 4-3

-- Writes the text and calls `completed` with the number of bytes that were written.
local function write(file, text, completed)
    file:setvbuf("no")                          -- each write goes to the descriptor at once
    local source = DispatchSource.write(file)
    local place = 1
    source:setEventHandler(function()
        if source.data == 0 then return source:cancel() end
        local part = text:sub(place, place + source.data - 1)
        file:write(part)
        place = place + #part
        if place > #text then source:cancel() end
    end)
    source:setCancelHandler(function()
        file:close()
        completed(place - 1)
    end)
    source:activate()
end

local path = await(work.file.temporary())
local text = ("a line of the report\n"):rep(20000)

-- A pipe holds about 64 KiB, so this takes several events.
local group = DispatchGroup()
group:enter()
write(assert(io.popen("cat > '" .. path .. "'", "w")), text, function(count)
    print("written", count)
    group:leave()
end)
group:wait()

print("same", await(work.file.read(path)) == text)
await(work.file.remove(path))
