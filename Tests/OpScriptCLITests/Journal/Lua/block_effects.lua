-- Effects among the blocks of an operation that is tried three times, and perhaps an equal one outside of it.
local kind, shape, kills = ...
local count = 0

local function effect()
    local made
    if kind == "work" then
        made = work.process.shell("echo sent >> outbox" .. (kills and "; test -e go || kill -9 $PPID" or ""))
    elseif kind == "isolate" then
        made = isolate(function()
            local outbox <close> = io.open("outbox", "a")
            outbox:write("sent\n")
        end)()
    else
        made = Operation(function()
            local outbox <close> = io.open("outbox", "a")
            outbox:write("sent\n")
            outbox:flush()
            if kills then os.execute("test -e go || kill -9 $PPID") end
        end)
    end
    count = count + 1
    made.name = kind == "function" and "mail " .. count or "mail"
    made.recording = "once"
    return made
end

local tries = 0
local function failing()
    tries = tries + 1
    if tries < 3 then error("no", 0) end
end

local block = shape == "two" and BlockOperation(effect(), effect(), failing) or BlockOperation(effect(), failing)
block.name, block.retry = "block", { attempts = 3 }
OperationQueue.default:addOperation(block)
if shape == "outside" then OperationQueue.default:addOperation(effect()) end
OperationQueue.default:waitUntilAllOperationsAreFinished()
print(block.outcome, block.attempt)
