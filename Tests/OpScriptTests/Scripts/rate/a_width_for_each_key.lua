-- arguments: --virtual
-- `widthPerKey` bounds how many operations of one key execute at once; those of other keys go before one that waits.
local queue = OperationQueue {
    maxConcurrentOperationCount = 3, widthPerKey = 2, rate = { key = function(op) return op.name:sub(1, 1) end },
}
assert(queue.widthPerKey == 2)
local executing, most, order = {}, {}, {}
local function add(name)
    local key = name:sub(1, 1)
    queue:addOperation(Operation { name = name, main = function()
        order[#order + 1] = name
        executing[key] = (executing[key] or 0) + 1
        most[key] = math.max(most[key] or 0, executing[key])
        sleep(1)
        executing[key] = executing[key] - 1
    end })
end
for _, name in ipairs { "a1", "a2", "a3", "a4", "b1", "c1", "b2" } do add(name) end
queue:waitUntilAllOperationsAreFinished()
assert(most.a == 2 and most.b <= 2)
-- 'b1' has the third slot although 'a3' came before it.
assert(table.concat(order, " ") == "a1 a2 b1 a3 a4 c1 b2", table.concat(order, " "))
assert(clock.now() == 3)

-- Together with a rate; a retry gives its place away between two attempts.
local both = OperationQueue { widthPerKey = 1, rate = { 2, per = 10, key = function() return "host" end } }
local begin, starts = clock.now(), {}
for i = 1, 4 do
    both:addOperation(Operation { retry = { attempts = 2, delay = 5 }, main = function(self)
        starts[#starts + 1] = i .. "@" .. clock.now() - begin
        sleep(1)
        assert(i > 1 or self.attempt == 2, "again")
    end })
end
both:waitUntilAllOperationsAreFinished()
assert(table.concat(starts, " ") == "1@0.0 2@1.0 1@10.0 3@11.0 4@20.0", table.concat(starts, " "))
both.widthPerKey = nil
both.rate = nil
assert(both.widthPerKey == nil and both.rate == nil)
