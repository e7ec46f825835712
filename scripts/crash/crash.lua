-- Kills jobs at random instants, continues them, and checks that nothing is lost and nothing is done twice.
--
--     opscript crash.lua OPSCRIPT FOLDER [COUNT [SEED]]
--
-- COUNT jobs are killed, one to three times each. SEED makes the instants the same again, as far as the machine allows.

local command, folder = assert(arg[1]), assert(arg[2])
local count, seed = tonumber(arg[3] or 100), tonumber(arg[4] or os.time())
local job = (arg[0]:match("^(.*)/") or ".") .. "/job.lua"
math.randomseed(seed)
local shapes = { "chain", "fan", "diamonds", "results", "programs", "once", "functions", "large" }

local function read(path)
    local file = io.open(path)
    if not file then return "" end
    local text = file:read("a")
    file:close()
    return text
end

local function lines(text, pattern)
    local found = {}
    for id in text:gmatch(pattern) do found[#found + 1] = id end
    return found
end

-- Runs the job; kills it after some seconds, if there are any.
local function run(place, shape, delay, answers)
    local words = { command, "--journal", place .. "/journal", "--resume" }
    for _, answer in ipairs(answers or {}) do
        words[#words + 1] = "--resolve"
        words[#words + 1] = answer
    end
    for _, word in ipairs { job, shape, place .. "/log" } do words[#words + 1] = word end
    words.check = false
    local op = work.process.run(words)
    op.output = "errors"
    OperationQueue.default:addOperation(op)
    if delay then
        sleep(delay)
        if not op.isFinished then pcall(op.signal, op, "KILL") end
    end
    return await(op)
end

-- The programs of a run that was killed live on, and may still write to its log: waits for their ends.
local function waitForPrograms(place)
    local function isAlive()
        local result = await(work.process.shell("cat /proc/[0-9]*/cmdline 2>/dev/null || true"))
        return result.output:find(place .. "/log", 1, true)
    end
    while isAlive() do sleep(0.01) end
end

local function withoutPlace(text, place) return (text:gsub(place:gsub("%p", "%%%0"), "PLACE")) end

local function check(condition, message) if not condition then error(message, 0) end end

-- By folder, how long the log was when the present run of the journal began.
local begun = {}

-- By folder, the number of the run whose reports count; nil for the first one.
local runs = {}

-- The number of a new run that began because the one before had ended well; nil if the last run is not a new one. A run
-- that was killed at its beginning could not say so: the journal can.
local function newRun(place)
    local result = await(work.process.run { command, "journal", place .. "/journal", "--json" })
    local list = json.decode(result.output)
    local last = list[#list]
    if last.run == (runs[place] or 1) then return nil end
    for at = #list - 1, 1, -1 do
        local before = list[at]
        if before.run ~= last.run then return before.outcome == "ended well" and last.run or nil end
    end
end

-- Checks the work of one run: the names in the new part of its log, each once, and none that was reported before.
local function checkLog(place, before, reported, shape, result)
    local function begins(number)
        runs[place] = number
        for id in pairs(reported) do reported[id] = nil end
        begun[place] = before
    end
    local told = result.errorOutput:match("begins run (%d+): run %d+ ended well")
    if told then begins(tonumber(told)) end
    local seen = {}
    for _, id in ipairs(lines(read(place .. "/log"):sub(before + 1), "(%w+)\n")) do
        check(not seen[id], ("%s: '%s' ran twice in one run"):format(shape, id))
        if reported[id] then
            local number = newRun(place)
            check(number, ("%s: '%s' had been reported, and ran again"):format(shape, id))
            begins(number)
        end
        seen[id] = true
    end
end

local expected, durations = {}, {}
local function undisturbed(shape)
    local place = ("%s/%s"):format(folder, shape)
    await(work.file.makeDirectory(place))
    local begun = clock.now()
    local result = run(place, shape)
    durations[shape] = clock.now() - begun
    expected[shape] = result.output:match("result [^\n]*")
    check(result.status == 0 and expected[shape], shape .. ": " .. result.errorOutput)
    expected[shape] = withoutPlace(expected[shape], place)
end

local kills = 0
local function crash(number)
    local shape = shapes[math.random(#shapes)]
    if not expected[shape] then undisturbed(shape) end
    local place = ("%s/%d"):format(folder, number)
    await(work.file.makeDirectory(place))
    local reported = {}
    for _ = 1, math.random(3) do
        local before = #read(place .. "/log")
        local result = run(place, shape, math.random() * durations[shape])
        if result.signal then
            kills = kills + 1
            if shape == "programs" or shape == "large" then waitForPrograms(place) end
        end
        checkLog(place, before, reported, shape, result)
        for _, id in ipairs(lines(result.output, "done (%w+)\n")) do reported[id] = true end
        if not result.signal then break end
    end
    local before = #read(place .. "/log")
    local result = run(place, shape)
    checkLog(place, before, reported, shape, result)
    -- An effect that was under way is not repeated: the log has the answer.
    local answers, log = {}, read(place .. "/log")
    for id in result.errorOutput:gmatch("the effect of '(%w+)' is not known") do
        local isDone = ("\n" .. log):find("\n" .. id .. "\n", 1, true)
        answers[id] = isDone and ("%s=done:%q"):format(id, place .. "/log") or id .. "=again"
    end
    if next(answers) then
        check(shape == "once", shape .. ": " .. result.errorOutput)
        local list = {}
        for _, answer in pairs(answers) do list[#list + 1] = answer end
        result = run(place, shape, nil, list)
    end
    check(result.status == 0, ("%s: status %s: %s"):format(shape, result.status, result.errorOutput))
    local found = withoutPlace(result.output:match("result [^\n]*") or "nothing", place)
    check(found == expected[shape], ("%s: the result is %s instead of %s"):format(shape, found, expected[shape]))
    if shape == "once" then
        local counts = {}
        for _, id in ipairs(lines(read(place .. "/log"):sub((begun[place] or 0) + 1), "(%w+)\n")) do
            check(not counts[id], ("the effect '%s' happened twice"):format(id))
            counts[id] = true
        end
    end
    local whole = await(work.process.run { command, "journal", place .. "/journal", "check", check = false })
    check(whole.status == 0, ("%s: the journal is not whole: %s"):format(shape, whole.errorOutput))
    await(work.file.remove(place, { recursive = true }))
end

for number = 1, count do
    local ok, problem = pcall(crash, number)
    if not ok then
        io.stderr:write(("job %d of seed %d: %s\n"):format(number, seed, problem))
        os.exit(1)
    end
end
print(("jobs: %d, kills: %d, and nothing was lost or done twice"):format(count, kills))
