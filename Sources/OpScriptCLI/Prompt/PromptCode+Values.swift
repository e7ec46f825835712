extension PromptCode {
    /// Shows values: tables sorted and cut, with quoted strings inside, and cycles by name. Of a script, only
    /// `__tostring` is called.
    static let values = #"""
        local mostItems, mostDepth, mostText, mostKeys = 40, 4, 300, 2000

        local escapes = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }
        local function escape(character)
            return escapes[character] or format("\\x%02X", byte(character))
        end

        local function quote(text)
            local rest = ""
            if #text > mostText then
                local count = #text
                text = sub(text, 1, mostText)
                -- Not in the middle of a character.
                local ok, bad = utf8len(text)
                if not ok and bad > mostText - 4 then text = sub(text, 1, bad - 1) end
                rest = format("… (%d bytes)", count)
            end
            text = gsub(text, '[%c"\\\127]', escape)
            if not utf8len(text) then text = gsub(text, "[\128-\255]", escape) end
            return '"' .. text .. '"' .. rest
        end

        local function width(text) return utf8len(text) or #text end

        -- The text of a value that is no plain table, and whether it is one.
        local function plain(value)
            local kind = type(value)
            if kind == "string" then return quote(value) end
            if kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
            local mt = getmetatable(value)
            if kind == "table" and type(mt) ~= "string" then
                if not (type(mt) == "table" and (rawget(mt, "__tostring") or rawget(mt, "__name"))) then return nil end
                if not rawget(mt, "__tostring") and next(value) ~= nil then return nil end
            elseif kind == "function" then
                local info = getinfo(value, "S")
                if info.what == "C" then return "function (built in)" end
                return format("function (%s:%d)", info.short_src, info.linedefined)
            end
            local ok, text = pcall(tostring, value)
            if not ok or type(text) ~= "string" then return kind .. " (its __tostring failed)" end
            return text
        end

        local order = { number = 1, string = 2, boolean = 3 }
        local function isBefore(a, b)
            local ta, tb = type(a), type(b)
            if ta == tb and (ta == "number" or ta == "string") then return a < b end
            local oa, ob = order[ta] or 4, order[tb] or 4
            if oa ~= ob then return oa < ob end
            if ta == "boolean" then return a and not b end
            return tostring(a) < tostring(b)
        end

        -- The keys behind the list part, sorted, and whether more were left out.
        local function keysOf(value, count)
            local keys, isCut = {}, false
            for key in next, value do
                if not (mathtype(key) == "integer" and key >= 1 and key <= count) then
                    if #keys == mostKeys then isCut = true break end
                    keys[#keys + 1] = key
                end
            end
            -- Keys with metatables may fail.
            pcall(sort, keys, isBefore)
            return keys, isCut
        end

        local shown

        local function keyText(key)
            if type(key) == "string" and find(key, "^[%a_][%w_]*$") and not isKeyword[key] then return key end
            return "[" .. (plain(key) or "table") .. "]"
        end

        local function items(value, columns, depth, parents)
            local list, room = {}, mostItems
            local count = rawlen(value)
            for place = 1, count do
                if room == 0 then break end
                list[#list + 1] = shown(rawget(value, place), columns, depth, parents)
                room = room - 1
            end
            local left = count - #list
            local keys, isCut = keysOf(value, count)
            for place = 1, #keys do
                if room == 0 then
                    left = left + #keys - place + 1
                    break
                end
                local key = keys[place]
                local item = rawget(value, key)
                list[#list + 1] = keyText(key) .. " = " .. shown(item, columns, depth, parents)
                room = room - 1
            end
            if isCut then
                list[#list + 1] = "… and more"
            elseif left > 0 then
                list[#list + 1] = format("… and %d more", left)
            end
            return list
        end

        function shown(value, columns, depth, parents)
            local text = plain(value)
            if text then return text end
            if parents[value] then
                local up = depth - parents[value]
                return up == 1 and "(this table)" or format("(the table %d levels up)", up)
            end
            if next(value) == nil then return "{}" end
            if depth >= mostDepth then return "{…}" end
            parents[value] = depth
            local list = items(value, columns, depth + 1, parents)
            parents[value] = nil
            local total, isLong = 4 + 2 * depth, false
            for _, item in next, list do
                total = total + width(item) + 2
                if find(item, "\n", 1, true) then isLong = true end
            end
            if not isLong and total <= columns then return "{ " .. concat(list, ", ") .. " }" end
            local indent = rep("  ", depth + 1)
            return "{\n" .. indent .. concat(list, ",\n" .. indent) .. ",\n" .. rep("  ", depth) .. "}"
        end

        local function show(value, columns) return shown(value, columns, 0, {}) end

        local function index(value, name) return value[name] end

        -- A member, without a call of the script's code. The metatables of OpScript's own types are strings here.
        local function peek(value, name)
            for _ = 1, 20 do
                if type(value) == "table" then
                    local found = rawget(value, name)
                    if found ~= nil then return found end
                end
                local mt = getmetatable(value)
                if type(mt) == "string" then
                    local ok, found = pcall(index, value, name)
                    return ok and found or nil
                end
                local place = type(mt) == "table" and rawget(mt, "__index")
                if type(place) == "function" and getinfo(place, "S").what == "C" then
                    local ok, found = pcall(place, value, name)
                    return ok and found or nil
                end
                if type(place) ~= "table" then return nil end
                value = place
            end
        end

        local function addNames(value, list)
            local seen = {}
            for _ = 1, 20 do
                if type(value) == "table" and not seen[value] then
                    seen[value] = true
                    for key in next, value do
                        if #list >= 20000 then return end
                        if type(key) == "string" and find(key, "^[%a_][%w_]*$") and not isKeyword[key] then
                            list[#list + 1] = key
                        end
                    end
                end
                local mt = getmetatable(value)
                local index = type(mt) == "table" and rawget(mt, "__index")
                if type(index) ~= "table" then return end
                value = index
            end
        end

        """#
}
