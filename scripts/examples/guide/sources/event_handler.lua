#!/usr/bin/env opscript
-- An event handler receives its source. `data` says what happened since the last event, `handle` is what
-- the source watches, and `mask` holds the events that it was created for. The handler is called again for
-- the next event. Calls of one source never overlap.
-- In the guide: Dispatch Sources, "Writing and Installing an Event Handler"

-- A file: the handle is its path, the mask and the data are events.
local path = await(work.file.temporary())
local handled = DispatchSemaphore(0)
local file = DispatchSource.fileSystem(path, { "attrib", "delete" })
file:setEventHandler(function(source)
    if not source.data.delete then return end
    print("file", source.handle == path, "deleted")
    source:cancel()
    handled:signal()
end)
file:activate()
local mask = file.mask
table.sort(mask)
print("mask", table.concat(mask, " "))
await(work.file.remove(path))
handled:wait()

-- A signal: the handle is its number, and the data says how often it was delivered.
local signal = DispatchSource.signal("SIGUSR1")
print("signal", signal.handle, signal.data)

-- A source for the script's own events. Its handler waits, and reports that arrive until it returns
-- become one event.
local arrived, slow = DispatchSource.userDataAdd(), Gate "the handler may continue"
local inside = 0
arrived:setEventHandler(function(source)
    inside = inside + 1
    print("arrived", source.data, "handlers inside", inside)
    await(slow)
    inside = inside - 1
end)
arrived:activate()
arrived:mergeData(1)
sleep(0)                                        -- the handler runs up to its wait
arrived:mergeData(2)
arrived:mergeData(3)
slow:finish()
