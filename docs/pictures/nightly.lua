-- opscript --virtual --report docs/pictures/nightly.html docs/pictures/nightly.lua
OperationQueue.setResource("database", 2)
local queue = OperationQueue { name = "nightly" }

local failures = 0
local function extract(source)
    return Operation {
        name = "extract " .. source,
        resources = { database = 1 },
        retry = { attempts = 3, delay = 600 },
        timeout = 3600,
        main = function()
            sleep(60)
            if source == "orders" and failures < 2 then
                failures = failures + 1
                error("connection lost", 0)
            end
            return #source
        end,
    }
end

local transform = Operation { name = "transform", main = function(op)
    local rows = 0
    for _, extracted in ipairs(op.dependencies) do rows = rows + extracted.result end
    return rows
end }
for _, source in ipairs { "users", "orders", "items" } do
    local operation = extract(source)
    transform:addDependency(operation, "succeeded")
    queue:addOperation(operation)
end

local load   = Operation { name = "load", main = function() print("loaded rows:", transform.result) end }
local notify = Operation { name = "notify", main = function() print("something failed") end }
local clean  = Operation { name = "clean up", main = function() print("cleaned up") end }
load:addDependency(transform, "succeeded")
notify:addDependency(load, "failed")
clean:addDependency(load, "finished")
queue:addOperations({ transform, load, notify, clean }, true)
print("after " .. clock.now() / 60 .. " minutes; notify was " .. notify.outcome)
