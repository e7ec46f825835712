-- The facts that a script has printed.
local Facts = {}

-- The values of a fact are strings: `fact[1]` is the first one after the subject.
function Facts.parse(lines)
    local list = {}
    for _, text in ipairs(lines) do
        local parts = {}
        for part in (text .. "\t"):gmatch("([^\t]*)\t") do parts[#parts + 1] = part end
        if #parts >= 3 and tonumber(parts[1]) then
            local fact = { time = tonumber(parts[1]), kind = parts[2], subject = parts[3], place = #list + 1, text = text }
            for place = 4, #parts do fact[place - 3] = parts[place] end
            list[#list + 1] = fact
        end
    end
    local self = { list = list, kinds = {}, subjects = {} }
    for _, fact in ipairs(list) do
        self.kinds[fact.kind] = self.kinds[fact.kind] or {}
        table.insert(self.kinds[fact.kind], fact)
        local key = fact.kind .. " " .. fact.subject
        self.subjects[key] = self.subjects[key] or {}
        table.insert(self.subjects[key], fact)
    end
    return setmetatable(self, { __index = Facts })
end

function Facts:all(kind) return self.kinds[kind] or {} end
function Facts:of(kind, subject) return self.subjects[kind .. " " .. subject] or {} end
function Facts:first(kind, subject) return self:of(kind, subject)[1] end

-- The changes of a property that observers of an operation received.
function Facts:changes(subject, number, key)
    local list = {}
    for _, fact in ipairs(self:of("change", subject)) do
        if (not number or fact[1] == tostring(number)) and fact[2] == key then list[#list + 1] = fact end
    end
    return list
end

-- The first place at which the end of an operation was certainly visible, or nil.
function Facts:visibleEnd(subject)
    local place
    local function take(fact)
        if fact and (not place or fact.place < place) then place = fact.place end
    end
    take(self:changes(subject, nil, "isFinished")[1])
    take(self:first("completion", subject))
    return place
end

return Facts
