-- Compares what was measured with the bars, and instructions with their file of counts.
local contest = require "contest"
local instructions = require "instructions"
local report = require "report"

local check = {}

-- The summary that a bar is about, or nil and why there is none.
local function subject(bar, measured)
    local run = measured[bar.contest]
    if not run then return nil, "not measured" end
    if bar.growth then
        local growth, _, largest = run:growth(1)
        return largest == bar.n and growth or nil, "not measured at this size"
    end
    if not bar.peer then return run:summary(1, bar.n), "not measured at this size" end
    for i, entry in ipairs(run.definition.entries) do
        if entry.name == bar.peer then
            if entry.lacks then return nil, "this machine lacks " .. entry.lacks end
            return run:ratio(i, bar.n), "not measured at this size"
        end
    end
    error(("the contest '%s' has no '%s'"):format(bar.contest, bar.peer))
end

local function name(bar)
    local what = bar.growth and " growth" or bar.peer and " to " .. bar.peer or " bytes"
    return bar.contest .. " " .. report.count(bar.n) .. what
end

-- Noise does not matter where all samples are on one side of the bar.
function check.verdict(bar, summary)
    if summary.most <= bar.most then return "met" end
    if summary.least > bar.most then return "MISSED" end
    if summary.spread > contest.noisy then return "too noisy to tell" end
    return summary.median <= bar.most and "met" or "MISSED"
end

-- 0 all met, 1 one missed, 2 none missed but one could not be told.
function check.bars(measured)
    print "\n## Bars\n"
    local status = 0
    for _, bar in ipairs(require "bars") do
        local summary, reason = subject(bar, measured)
        if not summary then
            print(("%-44s at most %-8.4g %s"):format(name(bar), bar.most, reason))
        else
            local told = check.verdict(bar, summary)
            print(("%-44s at most %-8.4g measured %-9.4g %s"):format(name(bar), bar.most, summary.median, told))
            if told == "MISSED" then
                status = 1
            elseif told ~= "met" and status == 0 then
                status = 2
            end
        end
    end
    return status
end

-- How much more instructions than the file says are too many.
local allowed = 1.05

function check.counts(places)
    print "\n## Instructions for one operation\n"
    if instructions.lacks then
        print("skipped: this machine lacks " .. instructions.lacks)
        return 0
    end
    local expected, status = require "counts", 0
    for _, shape in ipairs(instructions.shapes) do
        local count = instructions.count(shape, places)
        local before = assert(expected[shape.id], "counts.lua has no '" .. shape.id .. "'")
        local hasGrown = count > before * allowed
        print(("%-24s %8.0f, was %8.0f: %s"):format(
            shape.id, count, before, hasGrown and "GREW by more than 5 %" or "as before"))
        if hasGrown then status = 1 end
    end
    return status
end

return check
