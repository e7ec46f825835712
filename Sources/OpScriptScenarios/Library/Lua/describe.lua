-- Values with their types in front, as messages of registered assertions and `assert:format` show them.
-- Puts `described` into the table of the driver.
local inside = ...
local type, tostring, next, getmetatable, setmetatable, pcall, ipairs = type, tostring, next, getmetatable,
    setmetatable, pcall, ipairs
local sort, concat, mathType, rep = table.sort, table.concat, math.type, string.rep
local matcher = inside.matcher

-- A number with all its digits, and a point if it is a float.
local function exact(value)
    if value ~= value then return "NaN" end
    if value == math.huge then return "Inf" end
    if value == -math.huge then return "-Inf" end
    local text = ("%.20g"):format(value)
    if mathType(value) == "float" and not text:find(".", 1, true) then text = text:gsub("%d+", "%0.0", 1) end
    return text
end

local ranks = { number = 1, boolean = 2, string = 3, table = 4, ["function"] = 5, userdata = 6, thread = 7 }
local function keysOf(value)
    local keys, length = {}, #value
    for key in next, value do keys[#keys + 1] = key end
    local function rank(key)
        if mathType(key) == "integer" and key >= 1 and key <= length then return 0 end
        return ranks[type(key)] or 8
    end
    sort(keys, function(a, b)
        local first, second = rank(a), rank(b)
        if first ~= second then return first < second end
        if type(a) == "number" or type(a) == "string" then return a < b end
        if type(a) == "boolean" then return a and not b end
        return tostring(a) < tostring(b)
    end)
    return keys
end

-- The kind and the address of a table, without its metatable's __tostring.
local function identity(value)
    local mt = getmetatable(value)
    if mt == nil then return tostring(value) end
    if type(mt) ~= "table" or not pcall(setmetatable, value, mt) then return "table" end
    setmetatable(value, nil)
    local text = tostring(value)
    setmetatable(value, mt)
    return text
end

-- `crumbs` are the keys on the path to a difference, the last one first.
local function describeTable(value, crumbs)
    local root = inside.assertRoot
    local depth = root:get_parameter("TableFormatLevel") or -1
    local showsCycles = root:get_parameter("TableFormatShowRecursion")
    local mark = root:get_parameter("TableErrorHighlightCharacter") or ""
    local colour = root:get_parameter("TableErrorHighlightColor")
    local codes = { red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36, white = 37 }
    local function coloured(text)
        local code = codes[colour or ""]
        return code and text ~= "" and "\27[" .. code .. "m" .. text .. "\27[0m" or text
    end
    local open = {}
    local function shown(inner, level, isOnWay)
        if showsCycles and (open[inner] or 0) > 0 then return "{ ... recursive }" end
        if next(inner) == nil then return "{ }" end
        if depth >= 0 and level > depth then return "{ ... more }" end
        open[inner] = (open[inner] or 0) + 1
        local crumb, parts = crumbs[#crumbs - level + 1], { "{" }
        for _, key in ipairs(keysOf(inner)) do
            local field = inner[key]
            local isNext = isOnWay and crumb ~= nil and key == crumb
            local text
            if type(field) == "table" then
                text = shown(field, level + 1, isNext)
            elseif type(field) == "string" then
                text = "'" .. field .. "'"
            else
                text = type(field) == "number" and exact(field) or tostring(field)
            end
            local sign = isNext and mark or ""
            parts[#parts + 1] = "\n" .. rep(" ", level * 2 - #sign) .. coloured(sign) .. "["
                .. (type(key) == "number" and exact(key) or tostring(key)) .. "] = " .. text
        end
        open[inner] = open[inner] - 1
        return concat(parts) .. " }"
    end
    return "(" .. identity(value) .. ") " .. shown(value, 1, true)
end

local function describeAll(values)
    local parts = {}
    for place = 1, values.n or #values do
        parts[place] = inside.formatted(values[place]) or inside.described(values[place])
    end
    return concat(parts, ", ")
end

function inside.described(value, given)
    local kind = type(value)
    if kind == "nil" then return "(nil)" end
    if kind == "string" then return "(string) '" .. value .. "'" end
    if kind == "number" then return "(number) " .. exact(value) end
    if kind == "boolean" then return "(boolean) " .. tostring(value) end
    if kind == "table" then
        local mt = getmetatable(value)
        if mt == matcher then
            return ("(matcher) %s.%s(%s)"):format(value.mod and "is" or "no", tostring(value.name),
                describeAll(value.arguments))
        end
        if mt == inside.arglist then return "(values list) (" .. describeAll(value) .. ")" end
        return describeTable(value, given and given.crumbs or {})
    end
    if kind == "function" then
        local found = debug and debug.getinfo and debug.getinfo(value, "S")
        return found and ("%s @ line %d in %s"):format(tostring(value), found.linedefined, found.source)
            or tostring(value)
    end
    return "(" .. kind .. ") '" .. tostring(value) .. "'"
end
