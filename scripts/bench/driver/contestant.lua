-- One side of a contest: a program that prints `SHAPE N VALUE` for each repetition.
local statistics = require "statistics"

local contestant = {}

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- Runs the words as a command; returns its output, or nil and the failure.
function contestant.output(words)
    local parts = {}
    for i, word in ipairs(words) do parts[i] = quoted(tostring(word)) end
    local pipe = assert(io.popen(table.concat(parts, " "), "r"))
    local output = pipe:read("a")
    local ok, how, status = pipe:close()
    if ok then return output end
    return nil, ("%s: %s %d"):format(table.concat(words, " "), how, status)
end

-- One sample: the median of the values that one process printed, for one operation.
function contestant.sample(words, n)
    local output, reason = contestant.output(words)
    if not output then error(reason, 0) end
    local values = {}
    for value in output:gmatch("%S+%s+%d+%s+([%d.]+)\n") do values[#values + 1] = tonumber(value) / n end
    if #values == 0 then error(("%s printed %q and no value"):format(table.concat(words, " "), output), 0) end
    return statistics.summary(values).median
end

return contestant
