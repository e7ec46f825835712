-- Compares what was measured with the bars, and instructions with their file of counts.
local instructions = require "instructions"
local report = require "report"
local statistics = require "statistics"

local check = {}

local function name(bar)
    local what = bar.growth and " growth" or bar.peer and " to " .. bar.peer or " bytes"
    return bar.contest .. " " .. report.count(bar.n) .. what
end

function check.verdict(bar, summary)
    local isMet = statistics.isAtMost(bar.most, summary)
    if isMet == nil then return "too noisy to tell" end
    return isMet and "met" or "MISSED"
end

-- Prints what was measured of a bar; its verdict, if there is one.
local function tell(bar, run)
    local summary, reason = run:subject(bar)
    if not summary then
        print(("%-44s at most %-8.4g %s"):format(name(bar), bar.most, reason))
        return nil
    end
    local told = check.verdict(bar, summary)
    print(("%-44s at most %-8.4g measured %-9.4g (%.4g to %.4g in %d turns) %s"):format(
        name(bar), bar.most, summary.median, summary.low, summary.high, summary.count, told))
    return told
end

-- 0 all met, 1 one missed, 2 none missed but one could not be told. Bars of contests that nobody asked for are left out.
function check.bars(measured)
    print "\n## Bars\n"
    local status = 0
    for _, bar in ipairs(require "bars") do
        local run = measured[bar.contest]
        local told = run and tell(bar, run)
        if told == "MISSED" then
            status = 1
        elseif told and told ~= "met" and status == 0 then
            status = 2
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
