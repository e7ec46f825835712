-- Medians and quartiles of samples.
local statistics = {}

-- The value below which `fraction` of the samples lie, between neighbours by proportion.
local function quantile(sorted, fraction)
    local place = 1 + (#sorted - 1) * fraction
    local low = math.floor(place)
    local high = math.min(low + 1, #sorted)
    return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
end

-- How many samples at each end of `count` sorted ones lie outside of an interval that has the median of all possible samples
-- in it with a probability of 95 %: half of them are below it, so it is like tossing coins.
local function outside(count)
    local probability, sum, place = 0.5 ^ count, 0, 0
    while true do
        sum = sum + probability
        if sum > 0.025 then return place end
        probability = probability * (count - place) / (place + 1)
        place = place + 1
    end
end

-- `spread` is the distance between the quartiles, as a part of the median. The median of very many samples would lie from `low` to
-- `high`, with a probability of 95 %, of five samples of 94 %; fewer are less certain.
function statistics.summary(samples)
    assert(#samples > 0, "there are no samples")
    local sorted = table.move(samples, 1, #samples, 1, {})
    table.sort(sorted)
    local median, place = quantile(sorted, 0.5), math.max(1, outside(#sorted))
    return {
        count = #sorted,
        median = median,
        spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median,
        least = sorted[1],
        most = sorted[#sorted],
        low = sorted[place],
        high = sorted[#sorted + 1 - place],
    }
end

-- Samples by round, as a list.
function statistics.list(samples)
    local list = {}
    for _, value in pairs(samples) do list[#list + 1] = value end
    return list
end

-- The ratio of `ours` to `theirs`, both by round, in the rounds that have both: a temporary load slows both of a pair.
function statistics.ratio(ours, theirs)
    local ratios = {}
    for turn, value in pairs(ours) do
        if theirs[turn] then ratios[#ratios + 1] = value / theirs[turn] end
    end
    return statistics.summary(ratios)
end

-- Quartiles further apart than this part of the median, and the ends of its interval, too: the machine is too noisy for a result.
statistics.noisy = 0.25
-- An interval that is no wider than this part of the median cannot be improved by further rounds.
statistics.narrow = 0.1

local function width(summary) return (summary.high - summary.low) / summary.median end

function statistics.isNoisy(summary) return math.min(summary.spread, width(summary)) > statistics.noisy end

-- Whether the measurement is at most a bar: true, false, or nil if the machine is too noisy. Noise does not matter where the whole
-- interval is on one side of the bar; an interval that has the bar in it has to be narrow.
function statistics.isAtMost(bar, summary)
    if summary.high <= bar then return true end
    if summary.low > bar then return false end
    if width(summary) > statistics.narrow then return nil end
    return summary.median <= bar
end

return statistics
