/// How values are compared and shown in failures.
enum FormatLibrary {
    /// Leaves `same` and `format` in the table of the driver.
    static let source = #"""
        local inside = ...
        local type, tostring, next, rawequal, getmetatable, pcall = type, tostring, next, rawequal, getmetatable, pcall
        local sort, concat, mathType = table.sort, table.concat, math.type
        local width = 72

        local matcher = {}
        inside.matcher = matcher

        -- Equal by contents: tables deeply, all else by `==`. A matcher stands for whatever it takes. Also
        -- gives the path to the first
        -- difference, with what stands there on both sides.
        local function same(expected, actual, path, seen)
            if rawequal(expected, actual) then return true end
            if getmetatable(expected) == matcher then
                if expected.takes(actual) then return true end
                return false, path, expected, actual
            end
            if type(expected) ~= "table" or type(actual) ~= "table" then
                if expected == actual or (expected ~= expected and actual ~= actual) then return true end
                return false, path, expected, actual
            end
            local mt = getmetatable(expected)
            if type(mt) == "table" and mt.__eq and mt == getmetatable(actual) then
                if expected == actual then return true end
                return false, path, expected, actual
            end
            local partners = seen[expected]
            if partners then
                if partners[actual] then return true end
            else
                partners = {}
                seen[expected] = partners
            end
            partners[actual] = true
            local keys = inside.sortedKeys(expected)
            for place = 1, #keys do
                local key = keys[place]
                local ok, where, left, right = same(expected[key], actual[key], path .. inside.keyText(key), seen)
                if not ok then return false, where, left, right end
            end
            keys = inside.sortedKeys(actual)
            for place = 1, #keys do
                local key = keys[place]
                if expected[key] == nil then return false, path .. inside.keyText(key), nil, actual[key] end
            end
            return true
        end

        function inside.same(expected, actual) return same(expected, actual, "", {}) end

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

        -- A value in one piece; tables by their kind only. Never an address.
        function inside.plain(value)
            local kind = type(value)
            if kind == "string" then return quoted(value) end
            if kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
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
            if getmetatable(value) == matcher then return value.text end
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

        -- A value as Lua would write it; tables with sorted keys, on several lines where one is too long.
        function inside.format(value) return format(value, "", {}) end

        -- Several of them, with commas.
        function inside.formatAll(values, count)
            local parts = {}
            for place = 1, count or values.n or #values do parts[place] = inside.format(values[place]) end
            return concat(parts, ", ")
        end

        -- Seconds without needless digits.
        function inside.seconds(value) return ("%.9g"):format(value) end
        """#
}
