-- The comparison of values, and their text in failures.
-- Puts `same` and `format` into the table of the driver.
local inside = ...
-- The names that files of scenarios find beside the globals.
inside.exports = {}
local type, tostring, next, rawequal, getmetatable, setmetatable, pcall, ipairs = type, tostring, next,
    rawequal, getmetatable, setmetatable, pcall, ipairs
local sort, concat, mathType, rawset = table.sort, table.concat, math.type, rawset
local width = 72
-- Sets the metatable of a table, unless it is protected.
local function withMetatable(value, mt)
    if type(mt) == "table" then return (setmetatable(value, mt)) end
    return value
end

local matcher = {}
inside.matcher = matcher

-- Whether two values have the same contents, without searching for the place of a difference. `isOuter`: they
-- are the given values, so that equal contents suffice even if __eq differs.
local function equal(expected, actual, seen, isOuter)
    if rawequal(expected, actual) then return true end
    local mt = getmetatable(expected)
    if mt == matcher then return expected(actual) end
    if type(expected) ~= "table" or type(actual) ~= "table" then return expected == actual end
    if type(mt) == "table" and mt.__eq and mt == getmetatable(actual) then
        if expected == actual then return true end
        if not isOuter then return false end
    end
    local partners = seen[expected]
    if partners then
        if partners[actual] then return true end
    else
        partners = {}
        seen[expected] = partners
    end
    partners[actual] = true
    for key, value in next, expected do
        local other = actual[key]
        if other == nil or not equal(value, other, seen) then return false end
    end
    for key in next, actual do
        if expected[key] == nil then return false end
    end
    return true
end

-- The first difference of two unequal values: adds the keys that lead to it, and returns the values on both
-- sides.
local function difference(expected, actual, keys, seen)
    if type(expected) ~= "table" or type(actual) ~= "table" or getmetatable(expected) == matcher
        or seen[expected] then
        return expected, actual
    end
    seen[expected] = true
    for _, key in ipairs(inside.sortedKeys(expected)) do
        local left, right = expected[key], actual[key]
        if right == nil or not equal(left, right, {}) then
            keys[#keys + 1] = key
            return difference(left, right, keys, seen)
        end
    end
    for _, key in ipairs(inside.sortedKeys(actual)) do
        if expected[key] == nil then
            keys[#keys + 1] = key
            return nil, actual[key]
        end
    end
    return expected, actual
end

-- Equal by contents: tables deeply, others by `==`. A matcher equals each value it accepts. Also returns the
-- path to the first difference, the values on both sides, and the keys of the path, the last one first.
function inside.same(expected, actual)
    if equal(expected, actual, {}, true) then return true end
    local keys, path, crumbs = {}, {}, {}
    local left, right = difference(expected, actual, keys, {})
    for place, key in ipairs(keys) do
        path[place], crumbs[#keys - place + 1] = inside.keyText(key), key
    end
    return false, concat(path), left, right, crumbs
end

-- A copy that later changes of the value do not affect: of tables at any depth, with their metatables.
-- Functions, userdata and spies are not copied.
local function copy(value, copies)
    if type(value) ~= "table" or getmetatable(value) == matcher or inside.isSpy(value) then return value end
    if copies[value] then return copies[value] end
    local result = {}
    copies[value] = result
    for key, field in next, value do rawset(result, copy(key, copies), copy(field, copies)) end
    return withMetatable(result, getmetatable(value))
end
function inside.copy(value) return copy(value, {}) end

local ranks = { number = 1, string = 2, boolean = 3 }

-- Keys in an order that does not depend on hashing: numbers, strings, booleans, others by their text.
function inside.sortedKeys(value)
    local keys = {}
    for key in next, value do keys[#keys + 1] = key end
    sort(keys, function(a, b)
        local first, second = type(a), type(b)
        local left, right = ranks[first] or 4, ranks[second] or 4
        if left ~= right then return left < right end
        if left <= 2 then return a < b end
        return inside.plain(a) < inside.plain(b)
    end)
    return keys
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ['"'] = '\\"' }
local function quoted(text)
    return '"' .. text:gsub('[%c\\"]', function(byte)
        return escapes[byte] or ("\\%03d"):format(byte:byte())
    end) .. '"'
end

-- A number with as many digits as it takes to tell it from every other one.
local function digits(value)
    local text = tostring(value)
    if value ~= value or mathType(value) == "integer" or tonumber(text) == value then return text end
    text = ("%.16g"):format(value)
    return tonumber(text) == value and text or ("%.17g"):format(value)
end

-- A short text of a value; tables by their kind only. Never an address.
function inside.plain(value)
    local kind = type(value)
    if kind == "string" then return quoted(value) end
    if kind == "number" then return digits(value) end
    if kind == "boolean" or kind == "nil" then return tostring(value) end
    local mt = getmetatable(value)
    if kind == "userdata" or (type(mt) == "table" and mt.__tostring) then
        local ok, text = pcall(tostring, value)
        if ok and not text:find("0x%x+") then return text end
    end
    return kind
end

function inside.keyText(key)
    if type(key) == "string" and key:find("^[%a_][%w_]*$") then return "." .. key end
    return "[" .. inside.plain(key) .. "]"
end

local function format(value, indent, path)
    if getmetatable(value) == matcher then return value.text or "a matcher" end
    local own = inside.formatted and inside.formatted(value)
    if own then return own end
    local mt = getmetatable(value)
    if type(value) ~= "table" or (type(mt) == "table" and mt.__tostring) then return inside.plain(value) end
    if path[value] then return "<cycle>" end
    if next(value) == nil then return "{}" end
    path[value] = true
    local parts, count, inner = {}, #value, indent .. "  "
    local isShort = true
    for _, key in ipairs(inside.sortedKeys(value)) do
        local text = format(value[key], inner, path)
        if mathType(key) ~= "integer" or key < 1 or key > count then
            local isName = type(key) == "string" and key:find("^[%a_][%w_]*$")
            text = (isName and key or "[" .. inside.plain(key) .. "]") .. " = " .. text
        end
        if text:find("\n") then isShort = false end
        parts[#parts + 1] = text
    end
    path[value] = nil
    local line = "{ " .. concat(parts, ", ") .. " }"
    if isShort and #indent + #line <= width then return line end
    return "{\n" .. inner .. concat(parts, ",\n" .. inner) .. ",\n" .. indent .. "}"
end

-- A value as Lua would write it; tables with sorted keys, on several lines if one is too long.
function inside.format(value) return format(value, "", {}) end

-- Several values, with commas.
function inside.formatAll(values, count)
    local parts = {}
    for place = 1, count or values.n or #values do parts[place] = inside.format(values[place]) end
    return concat(parts, ", ")
end

-- Seconds without needless digits.
function inside.seconds(value) return ("%.9g"):format(value) end
