-- Supervises services: starts each one when those before it are ready, restarts one that fails, passes HUP on to those that
-- reload, and ends all of them at INT or TERM.
local services = {
    { name = "database", command = "echo ready; exec sleep 1000" },
    { name = "cache", command = "trap 'echo reloaded' HUP; echo ready; while :; do sleep 0.1; done", reloads = true },
    { name = "web", command = "echo ready; sleep 0.2; exit 1", attempts = 3 },
}
local queue = OperationQueue { name = "services" }

for _, service in ipairs(services) do
    local op = work.process.shell(service.command, { grace = 2 })
    op.name, op.output = service.name, "prefix"
    op.retry = { attempts = service.attempts or 100, delay = 0.1 }
    service.operation = op
    local lines = op:lines()
    queue:addOperation(op)
    repeat
        local line = lines()
        if not line then error(service.name .. " did not get ready", 0) end
    until line == "ready"
end

local hangup = DispatchSource.signal "HUP"
hangup:setEventHandler(function()
    for _, service in ipairs(services) do
        if service.reloads then service.operation:signal "HUP" end
    end
end)
hangup:setRegistrationHandler(function() print "all are ready" end)
hangup:activate()
queue:waitUntilAllOperationsAreFinished()
hangup:cancel()
