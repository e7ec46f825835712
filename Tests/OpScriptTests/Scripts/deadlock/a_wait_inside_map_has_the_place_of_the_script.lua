-- The wait of `map` is in code of OpScript itself; the message names the line that called it.
local queue = OperationQueue { name = "images", isSuspended = true }
local function wait()
    local ok, problem = pcall(queue.map, queue, { 1 }, function() return Operation(function() end) end)
    print(ok, problem.code, problem)
end
wait()
--> false	deadlock	a_wait_inside_map_has_the_place_of_the_script.lua:4: queue 'images' is suspended and nothing is left that could resume it

-- A coroutine of the script's own inside of the wait.
local inner = coroutine.wrap(wait)
inner()
--> false	deadlock	a_wait_inside_map_has_the_place_of_the_script.lua:4: queue 'images' is suspended and nothing is left that could resume it
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
