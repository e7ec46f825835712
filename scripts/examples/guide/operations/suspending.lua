#!/usr/bin/env opscript
-- A suspended queue starts no operations. Operations that are already executing continue. Operations that
-- are added wait until the queue is resumed.
-- In the guide: Operation Queues, "Suspending and Resuming Queues"

local queue = OperationQueue { name = "player", maxConcurrentOperationCount = 2 }
queue:observe("isSuspended", function(change) print("suspended", change.old, change.new) end)

local pause, resume = Gate "pause", Gate "resume"
local playing = Operation {
    name = "playing",
    main = function()
        pause:finish()
        await(resume)
        print("the track that was playing ends")
    end,
}
queue:addOperation(playing)

-- The user presses the button while the track plays.
await(pause)
queue.isSuspended = true
local nextTrack = queue:addOperation(function() print("the next track plays") end)

resume:finish()
playing:waitUntilFinished()
print("playing", playing.state, "next", nextTrack.state)

queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
