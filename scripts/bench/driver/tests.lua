-- Tests of the driver: lua5.4 scripts/bench/driver/tests.lua.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. here .. "/../?.lua;" .. package.path

local check = require "check"
local contest = require "contest"
local contestant = require "contestant"
local record = require "record"
local report = require "report"
local statistics = require "statistics"

local function equal(got, expected)
    if got ~= expected then error(("expected %s, got %s"):format(expected, got), 2) end
end

local function fails(pattern, fn, ...)
    local ok, reason = pcall(fn, ...)
    if ok or not tostring(reason):find(pattern) then error(("expected an error like %s, got %s"):format(pattern, reason), 2) end
end

-- Quartiles lie between neighbours, for any order of the samples.
local summary = statistics.summary { 5, 1, 4, 2, 3 }
equal(summary.median, 3)
equal(summary.spread, (4 - 2) / 3)
equal(summary.least, 1)
equal(summary.most, 5)
equal(statistics.summary({ 1, 2 }).median, 1.5)

-- Ratios are taken round by round: load that slows both of a pair by ten does not show.
local paired = statistics.ratio({ 1, 10, 1 }, { 2, 20, 2 })
equal(paired.median, 0.5)
equal(paired.spread, 0)

-- Samples are paired by round; those that have no partner do not count.
equal(statistics.ratio({ [1] = 1, [3] = 6 }, { 4, 9, 2 }).most, 3)
equal(statistics.ratio({ [1] = 1, [3] = 6 }, { 4, 9, 2 }).count, 2)

-- The interval of a median: all of few samples; of ten the second to the ninth, of twenty-five the eighth to the eighteenth.
local function interval(count)
    local samples = {}
    for i = 1, count do samples[i] = i end
    local summary = statistics.summary(samples)
    return summary.low .. " to " .. summary.high
end
equal(interval(1), "1 to 1")
equal(interval(5), "1 to 5")
equal(interval(6), "1 to 6")
equal(interval(10), "2 to 9")
equal(interval(25), "8 to 18")

-- A bar is decided if the whole interval is on one side, otherwise only if the interval is narrow.
local function told(low, median, high) return check.verdict({ most = 1 }, { low = low, median = median, high = high }) end
equal(told(0.1, 0.5, 0.9), "met")
equal(told(1.1, 2, 9), "MISSED")
equal(told(0.98, 0.99, 1.07), "met")
equal(told(0.95, 1.01, 1.03), "MISSED")
equal(told(0.9, 0.99, 1.02), "too noisy to tell")

-- No ratio is printed if the machine is too noisy.
equal(report.ratio { median = 0.5, spread = 0.1, low = 0.4, high = 0.6 }, "0.5 ±5 %")
equal(report.ratio { median = 0.5, spread = 0.3, low = 0.4, high = 0.6 }, "too noisy (0.4 to 0.6)")
equal(report.ratio { median = 0.5, spread = 0.3, low = 0.46, high = 0.55 }, "0.5 ±15 %")
equal(report.ratio(statistics.summary { 0.5 }), "0.5 once")
equal(report.count(1000000), "1 000 000")
equal(report.count(100), "100")
equal(report.value(1234, nil), "1.23 µs")
equal(report.value(431.4, "bytes"), "431 B")

-- A sample is the median of the values of a process, for one operation; words pass through the shell unchanged.
equal(contestant.sample({ "printf", "a 10 %s\n", "10", "30", "20" }, 10), 2)
equal(contestant.output { "echo", "it's", "$HOME" }, "it's $HOME\n")
fails("printed", contestant.sample, { "echo", "nothing of use" }, 1)
fails("exit 3", contestant.sample, { "sh", "-c", "echo a 1 1; exit 3" }, 1)

-- A contest alternates, and skips missing peers and sizes that are too large.
local turns = {}
-- A contestant that prints the values one after the other, from the first again after the last.
local function entry(name, ...)
    local values, made = { ... }, { name = name, command = { "echo", "x", "{N}", "" } }
    local count = 0
    function made.before(n)
        made.command[4] = values[count % #values + 1]
        count = count + 1
        turns[#turns + 1] = name .. n
    end
    return made
end
local definition = {
    sizes = { small = { 1, 2 } }, rounds = { small = 2 }, title = "t",
    entries = { entry("ours", "4"), entry("theirs", "8"), entry("absent", "1"), entry("little", "1") },
}
definition.entries[3].lacks = "something"
definition.entries[4].largest = 1
local run = contest.new(definition, "small")
run:run()
equal(table.concat(turns, " "),
    "ours1 theirs1 little1 ours2 theirs2 ours1 theirs1 little1 ours2 theirs2")
equal(run:ratio(2, 2).median, 0.5)
equal(run:ratio(3, 1), nil)
equal(run:growth(1).median, 0.5)
assert(report.table(run):find("absent: skipped, this machine lacks something", 1, true))

-- A measurement is of all operations together, or of one.
local function measured(isWhole)
    local definition = { isWhole = isWhole, sizes = { small = { 10 } }, rounds = { small = 1 }, entries = { entry("ours", "40") } }
    local run = contest.new(definition, "small")
    run:run()
    return run:summary(1, 10).median
end
equal(measured(false), 4)
equal(measured(true), 40)

-- It takes as many rounds again if it is noisy, and only then.
local function turnsTaken(definition)
    definition.sizes, definition.rounds = definition.sizes or { small = { 1 } }, { small = 3 }
    local run = contest.new(definition, "small")
    run:run()
    return #run.samples[1][1]
end
equal(turnsTaken { entries = { entry("ours", "1", "9"), entry("theirs", "1") } }, 6)
equal(turnsTaken { entries = { entry("ours", "9"), entry("theirs", "1") } }, 3)

-- The number of turns if noise hides for a while whether the bar is met: then five times as many samples are taken.
local function withBar(most, ...)
    return turnsTaken { bars = { { n = 1, peer = "theirs", most = most } }, entries = { entry("ours", ...), entry("theirs", "1") } }
end
equal(withBar(5, "1", "9"), 15)
equal(withBar(10, "1", "9"), 6)
equal(withBar(5, "9", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1"), 9)

-- The growth of an operation is measured by alternating both sizes.
local growing = {
    sizes = { small = { 1, 4 } }, growth = true, bars = { { n = 4, growth = true, most = 1 } },
    entries = { entry("ours", "1", "12", "1", "1") },
}
equal(turnsTaken(growing), 15)


-- The tables of the documentation, by title, peer and size; noise by its higher end.
local page = [[
Words.

**One shape**

| operations | ours | theirs | ratio | others | ratio |
| ---: | ---: | ---: | ---: | ---: | ---: |
| 10 000 | 1 ns ±5 % | 2 ns ±5 % | 0.5 ±7 % | 4 ns | too noisy (0.1 to 0.25) |
| 1 000 000 | 1 ns | 2 ns | 9.92e-05 once | – | – |
| growth | 1.2 ±3 % | 2 ±4 % | | 1 | |

| no title | theirs | ratio |
| ---: | ---: | ---: |
| 10 | 1 ns | 3 ±1 % |
]]
local tables = record.read(page:gmatch "([^\n]*)\n")
equal(tables["One shape"].theirs[10000], 0.5)
equal(tables["One shape"].theirs[1000000], 9.92e-05)
equal(tables["One shape"].others[10000], 0.25)
equal(tables["One shape"].others[1000000], nil)
equal(tables["One shape"].growth, 1.2)
equal(tables["One shape"].largest, 1000000)
equal(tables["One shape"]["no title"], nil)
equal(next(tables, (next(tables))), nil)

-- A ratio is worse if it is clearly more than 25 % above the last one; growth is that to one size.
local function againstRecord(value, larger)
    local sizes, values = { 10000, larger }, { tostring(value), larger and tostring(value * 1000) }
    local definition = {
        sizes = { small = sizes }, rounds = { small = 2 }, title = "One shape", growth = true,
        entries = { entry("ours", table.unpack(values)), entry("theirs", "1"), entry("unheard of", "1") },
    }
    definition.entries[2].largest, definition.entries[3].largest = 10000, 10000
    local run = contest.new(definition, "small")
    run:run()
    local printed, print = {}, print
    _G.print = function(line) printed[#printed + 1] = line end
    local status = check.record({ one = run }, page:gmatch "([^\n]*)\n")
    _G.print = print
    return status, table.concat(printed, "\n")
end
equal(againstRecord(0.6), 0)
local status, told = againstRecord(0.7)
equal(status, 1)
assert(told:find("one 10 000 to theirs: was 0.5, measured 0.7 (0.7 to 0.7): WORSE", 1, true), told)
assert(told:find("1 compared", 1, true), told)
equal(againstRecord(0.6, 20000), 0)
status, told = againstRecord(0.6, 1000000)
equal(status, 1)
assert(told:find("one growth: was 1.2, measured 10", 1, true), told)

print "the driver's tests passed"
