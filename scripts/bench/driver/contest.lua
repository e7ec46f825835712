-- Ours and its peers at the same work, at several sizes, alternating: A B A B …
local contestant = require "contestant"
local machine = require "machine"
local statistics = require "statistics"

local contest = {}
contest.__index = contest

-- A definition is a table:
--   id, title               what bars and tables call it
--   counted, unit           what a size counts: "operations" (default) …; what is measured: time (default) or "bytes"
--   isWhole                 what is measured is not of all together, but of one
--   sizes, rounds           { small = …, full = … }
--   slow                    no more turns than these where the machine is noisy
--   memory                  about how many bytes an operation takes; as many are touched before each process
--   growth                  the largest size is compared with the smallest
--   bars                    what bars.lua says of it
--   entries                 { name, command, largest, lacks, before, after }; the first one is ours
-- In a command the word "N" stands for the size and "R" for how often the process is to repeat its work, also inside of
-- a word as {N}. `lacks` names what is missing on this machine, `before(n)` and `after(n)` are called around each process.
function contest.new(definition, size)
    local rounds = definition.rounds or { small = 3, full = 5 }
    local self = setmetatable({ definition = definition, sizes = definition.sizes[size], rounds = rounds[size] }, contest)
    -- By entry, size and round.
    self.samples, self.turn = {}, 0
    for i = 1, #definition.entries do self.samples[i] = {} end
    return self
end

-- Short work is repeated in one process, so that each sample takes about as long.
local function repetitions(n) return math.max(1, math.min(9, 200000 // n)) end

local function command(entry, n)
    local words = {}
    for i, word in ipairs(entry.command) do
        if word == "N" then
            words[i] = n
        elseif word == "R" then
            words[i] = repetitions(n)
        else
            words[i] = word:gsub("{N}", n)
        end
    end
    return words
end

function contest:takeSample(i, n)
    local entry = self.definition.entries[i]
    if entry.lacks or n > (entry.largest or n) then return end
    if entry.before then entry.before(n) end
    if self.definition.memory then machine.warmMemory(n * self.definition.memory) end
    local sample = contestant.sample(command(entry, n), self.definition.isWhole and 1 or n)
    if entry.after then entry.after(n) end
    local samples = self.samples[i][n] or {}
    self.samples[i][n] = samples
    samples[self.turn] = sample
end

function contest:takeTurns(sizes)
    self.turn = self.turn + 1
    for _, n in ipairs(sizes) do
        for i = 1, #self.definition.entries do self:takeSample(i, n) end
    end
end

-- The ratio of ours to entry `i` at size `n`; nil if one of them was not measured.
function contest:ratio(i, n)
    local ours, theirs = self.samples[1][n], self.samples[i][n]
    return ours and theirs and statistics.ratio(ours, theirs)
end

-- The summary for a bar, or nil and the reason why there is none.
function contest:subject(bar)
    if bar.growth then
        local growth, _, largest = self:growth(1)
        return largest == bar.n and growth or nil, "not measured at this size"
    end
    if not bar.peer then return self:summary(1, bar.n), "not measured at this size" end
    for i, entry in ipairs(self.definition.entries) do
        if entry.name == bar.peer then
            if entry.lacks then return nil, "this machine lacks " .. entry.lacks end
            return self:ratio(i, bar.n), "not measured at this size"
        end
    end
    error(("the contest '%s' has no '%s'"):format(bar.contest, bar.peer))
end

function contest:isNoisy(n)
    for i = 2, #self.samples do
        local ratio = self:ratio(i, n)
        if ratio and statistics.isNoisy(ratio) then return true end
    end
    return false
end

-- Sizes that need further rounds: up to twice as many if the machine is noisy, up to five times as many if that hides whether a
-- bar is met. The cost of growth depends on both ends.
function contest:unclearSizes()
    local unclear = {}
    for _, n in ipairs(self.sizes) do unclear[n] = self.turn < 2 * self.rounds and self:isNoisy(n) end
    for _, bar in ipairs(self.definition.bars or {}) do
        local summary = self:subject(bar)
        if summary and statistics.isAtMost(bar.most, summary) == nil then
            unclear[bar.n] = true
            if bar.growth then unclear[self.sizes[1]] = true end
        end
    end
    local sizes = {}
    for _, n in ipairs(self.sizes) do
        if unclear[n] then sizes[#sizes + 1] = n end
    end
    return sizes
end

-- Runs all rounds, and more at sizes whose results are too noisy.
function contest:run()
    for _ = 1, self.rounds do self:takeTurns(self.sizes) end
    if self.definition.slow then return end
    while self.turn < 5 * self.rounds do
        local sizes = self:unclearSizes()
        if #sizes == 0 then break end
        self:takeTurns(sizes)
    end
end

function contest:summary(i, n)
    local samples = self.samples[i][n]
    return samples and statistics.summary(statistics.list(samples))
end

-- The cost of an operation for entry `i` at its largest size, relative to its smallest; the two sizes were measured alternately.
function contest:growth(i)
    local smallest, largest = self.sizes[1], nil
    for _, n in ipairs(self.sizes) do
        if self.samples[i][n] then largest = n end
    end
    if not largest or largest == smallest then return nil end
    local ratio = statistics.ratio(self.samples[i][largest], self.samples[i][smallest])
    return ratio, smallest, largest
end

return contest
