-- Compares the measurements with the bars, and instructions with their file of counts.
local instructions = require "instructions"
local record = require "record"
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

-- Prints the measurement of a bar, and its verdict, if there is one.
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

-- 0 all met, 1 one missed, 2 none missed but one undecided. Bars of contests that were not requested are left out.
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

-- A ratio is worse than the last one if its whole interval is more than 25 % above it, since peers vary on their own.
local worse = 1.25

-- The measurement of a run, and the last one.
local function comparisons(run, last)
    local all = {}
    local function compare(what, now, before)
        if now and before then all[#all + 1] = { what = what, now = now, before = before } end
    end
    for i = 2, #run.definition.entries do
        local peer = run.definition.entries[i].name
        for _, n in ipairs(run.sizes) do
            compare(("%s to %s"):format(report.count(n), peer), run:ratio(i, n), (last[peer] or {})[n])
        end
    end
    if run.definition.growth then
        local growth, _, largest = run:growth(1)
        if largest == last.largest then compare("growth", growth, last.growth) end
    end
    return all
end

-- 0 if none is worse than in the tables of the last measurement, 1 one is; `lines` are those of last-measurement.md.
function check.record(measured, lines)
    print "\n## Ratios compared with those of last-measurement.md\n"
    local tables, count, status = record.read(lines), 0, 0
    for id, run in pairs(measured) do
        for _, pair in ipairs(comparisons(run, tables[run.definition.title] or {})) do
            count = count + 1
            if pair.now.low > pair.before * worse then
                status = 1
                print(("%s %s: was %.3g, measured %.3g (%.3g to %.3g): WORSE by more than a quarter"):format(
                    id, pair.what, pair.before, pair.now.median, pair.now.low, pair.now.high))
            end
        end
    end
    print(("%d compared%s"):format(count, status == 0 and ", none is worse by more than a quarter" or ""))
    return status
end

-- The factor over the file's instructions that is too much.
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
