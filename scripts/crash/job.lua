-- A job that crash.lua kills: each step appends its name to a file.
--
--     opscript --journal FILE --resume job.lua SHAPE LOG

local shape, log = arg[1], arg[2]
local queue = OperationQueue { maxConcurrentOperationCount = 3 }
local steps = {}

local function note(op, id)
    op.name = id
    op.completionBlock = function(step)
        if step.outcome == "succeeded" then
            io.write("done ", id, "\n")
            io.flush()
        end
    end
    steps[#steps + 1] = op
    return op
end

local function step(id, ...) return note(work.file.append(log, id .. "\n", ...), id) end

local shapes = {}

function shapes.chain()
    local last
    for i = 1, 40 do
        local op = step("chain" .. i)
        if last then op:addDependency(last) end
        last = op
    end
end

function shapes.fan()
    local root = step("root")
    for i = 1, 40 do step("leaf" .. i):addDependency(root) end
end

function shapes.diamonds()
    local last = step("top")
    for i = 1, 10 do
        local left, right, bottom = step("left" .. i), step("right" .. i), step("bottom" .. i)
        left:addDependency(last)
        right:addDependency(last)
        bottom:addDependency(left)
        bottom:addDependency(right)
        last = bottom
    end
end

-- Results are arguments of others: the path that one step returns is the file of the next one.
function shapes.results()
    local last
    for i = 1, 30 do last = note(work.file.append(last or log, "result" .. i .. "\n"), "result" .. i) end
end

function shapes.programs()
    for i = 1, 8 do note(work.process.shell(("echo program%d >> '%s'; echo %d"):format(i, log, i)), "program" .. i) end
end

function shapes.once()
    for i = 1, 15 do step("once" .. i).recording = "once" end
end

function shapes.functions()
    for i = 1, 20 do
        note(Operation {
            recording = "result",
            name = "function" .. i,
            main = function()
                local file <close> = assert(io.open(log, "a"))
                file:write("function", i, "\n")
                return i * i
            end,
        }, "function" .. i)
    end
end

-- Large results are files of their own.
function shapes.large()
    for i = 1, 6 do
        note(work.process.shell(("echo large%d >> '%s'; head -c 300000 /dev/zero | tr '\\0' %d"):format(i, log, i)), "large" .. i)
    end
end

shapes[shape]()
queue:addOperations(steps)
queue:waitUntilAllOperationsAreFinished()

local results = {}
for i, op in ipairs(steps) do
    local result = op.result
    if type(result) == "table" then result = #result.output .. result.output:sub(1, 10) end
    results[i] = tostring(result)
end
print("result " .. table.concat(results, " "):gsub("%s+", " "))
