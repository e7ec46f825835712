-- Runs random jobs and checks what they did against the contract. With plain Lua or with the command itself:
--
--     lua5.4 scripts/fuzz/jobs.lua PROGRAM [--seconds N] [--seed S] [--only MODE] [--count N]
--         [--skip RULE,…] [--keep-going]
--
-- The first job that breaks a rule is made smaller and printed; the exit status is then 1. `--seed` runs one seed alone.
local folder = arg[0]:match("^(.*)/") or "."
package.path = folder .. "/?.lua;" .. package.path

local Job = require "job"
local Mode = require "mode"
local Program = require "program"
local Rules = require "rules"
local Script = require "script"
local Shrink = require "shrink"

local options = { seconds = 60 }
local place = 1
while arg[place] do
    local word = arg[place]
    local name = word:match("^%-%-(.*)")
    if not name then
        options.program = word
    elseif name == "keep-going" or name == "print" then
        options[name] = true
    else
        place = place + 1
        options[name] = (name == "only" or name == "skip") and arg[place] or math.tointeger(tonumber(arg[place]))
            or error(("jobs: '%s' needs a value"):format(word), 0)
    end
    place = place + 1
end
if not options.program or options.only and not Mode[options.only] then
    io.stderr:write("usage: jobs.lua PROGRAM [--seconds N] [--seed S] [--only MODE] [--count N] [--skip RULE,…] [--keep-going]\n")
    os.exit(2)
end

local skipped = {}
for rule in (options.skip or ""):gmatch("%w+") do skipped[rule] = true end
local program = Program.new(options.program)
local began = os.time()
local endBusy

-- Runs a job in a mode, with a busy core if the mode asks for one.
local function run(mode, job, patience)
    if mode.isBusy and not endBusy then endBusy = Program.busyLoop() end
    if not mode.isBusy and endBusy then endBusy = endBusy() end
    return Mode.run(mode, job, program, patience)
end

local function has(found, rule)
    for _, one in ipairs(found) do
        if one.rule == rule then return one end
    end
end

local function shrink(mode, job, rule)
    local last = os.time() + (options.shrink or 60)
    return Shrink.run(job, function(candidate)
        for _ = 1, mode.tries do
            if has(run(mode, candidate, 2), rule) then return true end
        end
        return false
    end, function() return os.time() >= last end)
end

local function show(mode, seed, job, found)
    local rule = found[1].rule
    print(("seed %d, mode %s, after %d s: rule %s, %s: %s"):format(seed, mode.name, os.time() - began, rule, found[1].subject, found[1].text))
    for place = 2, math.min(#found, 4) do print(("    also %s, %s: %s"):format(found[place].rule, found[place].subject, found[place].text)) end
    print("    the sentence: " .. (Rules.sentences[rule] or rule))
    if options.shrink == 0 then return end
    local small = shrink(mode, Shrink.copy(job), rule)
    local again = {}
    for _ = 1, mode.tries do
        again = run(mode, small, 2)
        if has(again, rule) then break end
    end
    local one = has(again, rule) or { subject = "job", text = "the smaller job fails at times only" }
    print(("    smaller: %s: %s"):format(one.subject, one.text))
    print(("    options: %s"):format(mode.options:format(seed)))
    print((Mode.text(mode, small, 2):gsub("^.*\n(%-%- The job of seed)", "%1")))
    print(("-- The script above needs %s/prelude.lua in front of it. To repeat: --seed %d --only %s"):format(folder, seed, mode.name))
    return small
end

local seed = options.seed or os.time() % 100000 * 1000
local count, failures, seen = 0, 0, {}
print("the first seed is " .. seed)

-- The modes in turn: each as often as its weight.
local turns = {}
for _, mode in ipairs(Mode.all) do
    for _ = 1, mode.weight do turns[#turns + 1] = mode end
end

while true do
    local modes = options.only and { Mode[options.only] } or options.seed and not options.count and Mode.all or { turns[seed % #turns + 1] }
    for _, mode in ipairs(modes) do
        local job = Mode.prepare(mode, Job.make(seed))
        if options.print then print(Mode.text(mode, job, 20)) end
        local found = run(mode, job, 20)
        count = count + 1
        for place = #found, 1, -1 do
            if skipped[found[place].rule] then table.remove(found, place) end
        end
        if #found > 0 then
            failures = failures + 1
            if not options["keep-going"] then
                show(mode, seed, job, found)
                break
            end
            for _, one in ipairs(found) do
                local key = one.rule .. " " .. one.text:gsub("%f[%w][aqt]%d+", "_"):gsub("%d+", "_")
                if not seen[key] then
                    options.shrink = 0
                    show(mode, seed, job, { one })
                end
                seen[key] = (seen[key] or 0) + 1
            end
        end
    end
    if failures > 0 and not options["keep-going"] then break end
    if options.seed and not options.count or options.count and count >= options.count then break end
    if os.time() - began >= options.seconds then break end
    seed = seed + 1
end
if endBusy then endBusy() end
program:close()
print(("%d jobs, %d of them broke a rule"):format(count, failures))
os.exit(failures > 0 and 1 or 0)
