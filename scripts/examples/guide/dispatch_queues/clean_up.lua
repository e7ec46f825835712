#!/usr/bin/env opscript
-- A queue carries a context, which is any value that its tasks need. The finalizer receives the context
-- after the queue was collected. A queue with unfinished tasks is not collected, so a script may drop its
-- reference at any time.
-- In the guide: Dispatch Queues, "Providing a Clean Up Function For a Queue", listing 3-3

local appended = DispatchGroup()

local function makeLog(name)
    local queue = DispatchQueue { label = name }
    queue.context = { name = name, lines = {} }
    queue:setFinalizer(function(log)
        print(("%s closed after %d lines: %s"):format(log.name, #log.lines, table.concat(log.lines, ", ")))
    end)
    return queue
end

local function append(queue, line)
    queue:async { function() table.insert(DispatchQueue.current.context.lines, line) end, group = appended }
end

do
    local log = makeLog "build.log"
    append(log, "compiled")
    append(log, "linked")
end

-- No variable refers to the queue any more, but its tasks have not run yet.
collectgarbage()
print("dropped")

appended:wait()
collectgarbage()
sleep(0)                                        -- the finalizer has a turn of its own
print("the end")
