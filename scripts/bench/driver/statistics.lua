-- Medians and quartiles of samples.
local statistics = {}

-- The value below which `fraction` of the samples lie, between neighbours by proportion.
local function quantile(sorted, fraction)
    local place = 1 + (#sorted - 1) * fraction
    local low = math.floor(place)
    local high = math.min(low + 1, #sorted)
    return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
end

-- `spread` is the distance between the quartiles, as a part of the median.
function statistics.summary(samples)
    assert(#samples > 0, "there are no samples")
    local sorted = table.move(samples, 1, #samples, 1, {})
    table.sort(sorted)
    local median = quantile(sorted, 0.5)
    return {
        count = #sorted,
        median = median,
        spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median,
        least = sorted[1],
        most = sorted[#sorted],
    }
end

-- What `ours` is to `theirs`, round by round: what slows the machine for a while slows both of a pair.
function statistics.ratio(ours, theirs)
    local ratios = {}
    for i = 1, math.min(#ours, #theirs) do ratios[i] = ours[i] / theirs[i] end
    return statistics.summary(ratios)
end

return statistics
