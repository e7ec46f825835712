#!/usr/bin/env opscript
-- An asynchronous operation must always finish, because other operations may wait for it. Here `start`
-- leads to `main`, and `main` has one way out. `finish` ends the operation with results, and `fail` ends
-- it with an error. Both change all states at once and notify the observers. A second end is ignored.
-- In the guide: Operation Queues, "Configuring Operations for Concurrent Execution", listing 2-7

local Load = Operation:subclass "Load"

function Load:init(options)
    self.text = options.text
end

function Load:start()
    -- `main` runs as the body of another operation, after `start` has returned.
    async(function() self:main() end)
end

function Load:main()
    self:complete(pawait(work.json.decode(self.text)))
end

function Load:complete(ok, value)
    if ok then self:finish(value) else self:fail(value) end
    self:finish("a second end")
end

local good = Load { name = "good", text = '{ "answer": 42 }' }
local bad = Load { name = "bad", text = '{ "answer": ', allowsFailure = true }
local function show(change) print(change.object.name, change.key, change.old, change.new) end
for _, operation in ipairs { good, bad } do
    operation:observe("isExecuting", show)
    operation:observe("isFinished", show)
end

-- Runs after both, with any outcome. `bad` starts after `good`, so the order of the output is fixed.
local after = Operation { name = "after", main = function() print("both have ended") end }
after:addDependency(good, "finished")
after:addDependency(bad, "finished")
bad:addDependency(good)
OperationQueue.default:addOperations({ good, bad, after }, true)

print(good.result.answer, bad.outcome)
