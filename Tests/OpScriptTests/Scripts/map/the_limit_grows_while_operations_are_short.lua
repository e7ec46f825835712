-- By default map chooses how many operations are alive: more while they are short, up to 1 024, and never fewer than before.
-- arguments: --virtual --jobs 2
local function most(count, make)
    local queue, highest, number = OperationQueue(), 0, 0
    local function next()
        number = number + 1
        return number <= count and number or nil
    end
    queue:map(next, function(item)
        highest = math.max(highest, queue.operationCount + 1)
        return make(item)
    end)
    return highest
end

assert(most(5000, function(item) return Operation(function() return item end) end) == 1024)
local long = most(200, function() return work.sleep(1) end)
assert(long == 4, long)
