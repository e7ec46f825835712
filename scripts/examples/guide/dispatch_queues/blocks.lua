#!/usr/bin/env opscript
-- A block is a Lua function. It takes arguments and captures the local variables around it. Lua captures
-- variables, not copies, so a block sees later changes and can make changes. An isolate is different: it
-- runs in its own Lua state, with copies.
-- In the guide: Dispatch Queues, "Implementing Tasks Using Blocks", listing 3-1

local width, height = 4, 3

-- A block can be called directly.
local volume = function(depth) return width * height * depth end
print(volume(2))

-- A task calls the same block, which sees the new width.
local queue = DispatchQueue "geometry"
queue:async(function() print(volume(2)) end)
width = 5
queue:sync(function() height = 10 end)
print(volume(2))

-- An isolate keeps the values that the variables had when it was made.
local copied = isolate(volume)
width, height = 0, 0
print(await(copied(2)), volume(2))
