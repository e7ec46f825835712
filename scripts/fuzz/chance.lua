-- A source of random numbers that gives the same sequence for a seed in every Lua and in every mode.
local Chance = {}
Chance.__index = Chance

function Chance.new(seed)
    local self = setmetatable({ state = (seed * 0x9E3779B97F4A7C15) ~ 0x2545F4914F6CDD1D }, Chance)
    for _ = 1, 4 do self:next() end
    return self
end

-- The next 31 bits (splitmix).
function Chance:next()
    self.state = self.state + 0x9E3779B97F4A7C15
    local z = self.state
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    return (z ~ (z >> 31)) >> 33
end

-- A whole number from `low` to `high`, or from 1 to `low`.
function Chance:number(low, high)
    if not high then low, high = 1, low end
    return low + self:next() % (high - low + 1)
end

function Chance:oneIn(count) return self:next() % count == 0 end

function Chance:pick(list) return list[self:number(#list)] end

-- One of the keys of `weights`, a list of { key, weight }.
function Chance:weighted(weights)
    local total = 0
    for _, pair in ipairs(weights) do total = total + pair[2] end
    local place = self:number(total)
    for _, pair in ipairs(weights) do
        place = place - pair[2]
        if place <= 0 then return pair[1] end
    end
end

return Chance
