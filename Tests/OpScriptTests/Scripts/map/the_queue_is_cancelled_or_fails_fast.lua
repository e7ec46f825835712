-- After cancelAllOperations, or a failure in a queue with failFast, map calls its function no more.
local items = {}
for number = 1, 500 do items[number] = number end

local calls = 0
local queue = OperationQueue { failFast = true }
local ok, problem = pcall(function()
    queue:map(items, function(number)
        calls = calls + 1
        return Operation(function()
            if number == 2 then error("bad number 2", 0) end
            sleep(0.001)
        end)
    end, { limit = 4 })
end)
assert(not ok and problem.message == "bad number 2", tostring(problem))
assert(calls == 4, calls)

calls, queue = 0, OperationQueue()
ok, problem = pcall(function()
    queue:map(items, function(number)
        calls = calls + 1
        if number == 5 then queue:cancelAllOperations() end
        return Operation(function() sleep(0.001) end)
    end, { limit = 10 })
end)
assert(not ok and problem.code == "cancelled", tostring(problem))
assert(calls == 5, calls)

-- Otherwise all are called, and the first error by position is raised.
calls, queue = 0, OperationQueue()
ok, problem = pcall(function()
    queue:map(items, function(number)
        calls = calls + 1
        return Operation(function()
            if number == 7 then sleep(0.01) end
            if number % 100 == 7 then error("bad number " .. number, 0) end
        end)
    end)
end)
assert(not ok and problem.message == "bad number 7", tostring(problem))
assert(calls == 500, calls)
