#!/usr/bin/env opscript
-- A cancellation handler releases what belongs to the source. If the source watches a descriptor, the
-- handler closes the file. It is called once, after the last event handler has returned.
-- In the guide: Dispatch Sources, "Installing a Cancellation Handler"

local path = await(work.file.temporary())
await(work.file.write(path, "one line\n"))

local function reader(label)
    local file, closed = assert(io.open(path)), Gate(label .. " is closed")
    local source = DispatchSource.read(file)
    source:setCancelHandler(function()
        file:close()
        print(label, io.type(file))
        closed:finish()
    end)
    return source, file, closed
end

-- This source is cancelled by its event handler.
local whole, file, closed = reader "first"
whole:setEventHandler(function()
    io.write("read: ", file:read("l"), "\n")
    whole:cancel()
    print("the handler ends")
end)
whole:activate()
await(closed)

-- This source is cancelled before it was activated. The handler closes the file nevertheless.
local unused, _, unusedClosed = reader "second"
unused:cancel()
print("cancelled", unused.isCancelled)
await(unusedClosed)

await(work.file.remove(path))
