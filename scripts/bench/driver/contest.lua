-- Ours and its peers at the same work, at several sizes, in turns: A B A B …
local contestant = require "contestant"
local machine = require "machine"
local statistics = require "statistics"

local contest = {}
contest.__index = contest

-- Quartiles of a ratio further apart than this part of it: the machine is too noisy to tell.
contest.noisy = 0.25

-- A definition is a table:
--   id, title               what bars and tables call it
--   counted, unit           what a size counts: "operations" (default) …; what is measured: time (default) or "bytes"
--   sizes, rounds           { small = …, full = … }
--   slow                    no more turns than these where the machine is noisy
--   memory                  about how many bytes an operation takes; as many are touched before each process
--   growth                  the largest size is compared with the smallest
--   entries                 { name, command, largest, lacks, before, after }; the first one is ours
-- In a command the word "N" stands for the size and "R" for how often the process is to repeat its work, also inside of
-- a word as {N}. `lacks` names what is missing on this machine, `before(n)` and `after(n)` are called around each process.
function contest.new(definition, size)
    local rounds = definition.rounds or { small = 3, full = 5 }
    local self = setmetatable({ definition = definition, sizes = definition.sizes[size], rounds = rounds[size] }, contest)
    self.samples = {}
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
    local sample = contestant.sample(command(entry, n), n)
    if entry.after then entry.after(n) end
    local list = self.samples[i][n] or {}
    self.samples[i][n] = list
    list[#list + 1] = sample
end

function contest:takeTurns(n)
    for i = 1, #self.definition.entries do self:takeSample(i, n) end
end

-- What ours is to entry `i` at size `n`; nil where one of them was not measured.
function contest:ratio(i, n)
    local ours, theirs = self.samples[1][n], self.samples[i][n]
    return ours and theirs and statistics.ratio(ours, theirs)
end

function contest:isNoisy(n)
    for i = 2, #self.samples do
        local ratio = self:ratio(i, n)
        if ratio and ratio.spread > contest.noisy then return true end
    end
    return false
end

-- Runs all rounds; at sizes where the machine was noisy, up to as many again.
function contest:run()
    for _ = 1, self.rounds do
        for _, n in ipairs(self.sizes) do self:takeTurns(n) end
    end
    if self.definition.slow then return end
    for _, n in ipairs(self.sizes) do
        for _ = 1, self.rounds do
            if not self:isNoisy(n) then break end
            self:takeTurns(n)
        end
    end
end

function contest:summary(i, n)
    local list = self.samples[i][n]
    return list and statistics.summary(list)
end

-- What an operation costs entry `i` at its largest size, against its smallest; the two sizes were measured in turns.
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
