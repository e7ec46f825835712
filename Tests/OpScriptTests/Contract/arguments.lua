-- Gives each argument, option and property each probe, and prints what happened: one line for each try,
-- `what<tab>probe<tab>code<tab>message`. `ArgumentContractTests` appends the probes and the tries.
function nothing() end

local names = 0

-- The name of a task, which no other task has.
function newName()
    names = names + 1
    return "task" .. names
end

function closedFile()
    local file = io.tmpfile()
    file:close()
    return file
end

function ownClass()
    local class = Operation:subclass "Own"
    function class:main() end
    return class
end

-- Leaves the call that it is a body of, with an error outside the contract.
function leave() json.decode 'no JSON' end

-- Calls a function in an operation, which `leaveRound` cancels.
function inside(fn, ...)
    local arguments = table.pack(...)
    round = async(function() return fn(table.unpack(arguments, 1, arguments.n)) end)
    return await(round)
end

function leaveRound()
    round:cancel()
    sleep(1)
end

data = await(work.image.encode(work.image.decode 'P1 1 1 1', 'pbm'))

-- Ends objects that would keep the run alive.
local function drop(object)
    -- No source is activated, so none keeps the run going; its cancel handler may be a value that fails.
    if type(object) ~= "userdata" or tostring(object):find "^DispatchSource" then return end
    for _, name in ipairs { "invalidate", "cancel", "finish" } do
        pcall(function() object[name](object) end)
    end
end

function try(what, make, call)
    for _, probe in ipairs(probes) do
        local object, value = make(), probe[2]()
        local ok, problem = pcall(call, object, value)
        local code, message = "ok", ""
        if not ok then
            code = type(problem) == "userdata" and problem.code or "a plain error"
            message = tostring(problem):gsub("%s", " ")
        end
        print(table.concat({ what, probe[1], code, message }, "\t"))
        if ok then drop(problem) end
        drop(value)
        drop(object)
    end
end
