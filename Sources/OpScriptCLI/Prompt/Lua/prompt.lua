local answer = ...
local type, tostring, pcall, xpcall, next, rawget, rawset, rawequal, rawlen, select, load, print =
    type, tostring, pcall, xpcall, next, rawget, rawset, rawequal, rawlen, select, load, print
local setmetatable, exit, mathtype = setmetatable, os.exit, math.type
local pack, concat, sort = table.pack, table.concat, table.sort
local sub, gsub, gmatch, format, rep, find, byte =
    string.sub, string.gsub, string.gmatch, string.format, string.rep, string.find, string.byte
local utf8len = utf8.len
local traceback, getinfo, getupvalue, upvaluejoin, getmetatable =
    debug.traceback, debug.getinfo, debug.getupvalue, debug.upvaluejoin, debug.getmetatable
local G = _G

local isKeyword = {}
for word in gmatch("and break do else elseif end false for function goto if in local nil not or repeat "
    .. "return then true until while", "%a+") do isKeyword[word] = true end

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
        local base = type(mt) == "table" and rawget(mt, "__index")
        if type(base) ~= "table" then return end
        value = base
    end
end

local function isCallable(text, fn)
    return setmetatable({}, {
        __call = function(_, ...) return fn(...) end,
        __tostring = function() return text end,
        __metatable = text,
    })
end

local leave = isCallable("exit", function(...) return exit(...) end)

-- The path of a function or a table among the globals, such as `work.file.read`.
local function pathOf(value)
    local seen = { [G] = true }
    local level = { { "", G } }
    for _ = 1, 4 do
        local below = {}
        for _, entry in next, level do
            local path, place = entry[1], entry[2]
            for key, found in next, place do
                if type(key) == "string" and key ~= "_" and key ~= "_G" and key ~= "package" then
                    local own = path == "" and key or path .. "." .. key
                    if rawequal(found, value) then return own end
                    if type(found) == "table" and not seen[found] then
                        seen[found] = true
                        below[#below + 1] = { own, found }
                    end
                end
            end
        end
        level = below
    end
end

local help
help = isCallable("help", function(...)
    local value = ...
    if select("#", ...) == 0 or rawequal(value, help) then return print(answer("")) end
    if rawequal(value, leave) then return print(answer("exit")) end
    if type(value) == "string" then return print(answer(value) or answer("?" .. value)) end
    local mt = getmetatable(value)
    local kind = type(mt) == "table" and rawget(mt, "__metatable") or mt
    local text
    if type(value) == "userdata" and type(kind) == "string" then
        text = tostring(value) .. "\n\n" .. (answer(kind) or answer("?" .. kind))
    elseif type(value) == "function" or type(value) == "table" then
        local path = pathOf(value)
        if not path and type(value) == "table" and type(kind) == "string" then
            path = gsub(tostring(value), " .*", "")
        end
        text = path and answer(path)
    end
    print(text or plain(value) or "a table without a name; a bare name shows its fields")
end)

local cells = {}

-- A function of the script: the upvalues of others are hidden.
local makeCell = load("local value = ... return function() return value end", "=stdin", "t")

local function keep(fn)
    local isUpvalue = {}
    for place = 1, 255 do
        local name = getupvalue(fn, place)
        if not name then break end
        isUpvalue[name] = true
        cells[name] = { fn, place }
    end
    return isUpvalue
end

-- Constants of the compiler are no upvalues.
local function keepConstants(isUpvalue, names, ...)
    for place = 1, #names do
        local name = names[place]
        if not isUpvalue[name] then
            local value = select(place, ...)
            cells[name] = { makeCell(value), 1 }
        end
    end
end

local function words(text)
    local list = {}
    for word in gmatch(text, "%S+") do list[#list + 1] = word end
    return list
end

local function compile(text, used, locals, place)
    if sub(text, 1, 1) == "=" then text = "return " .. sub(text, 2) end
    local known = {}
    for _, name in next, used do
        if cells[name] then known[#known + 1] = name end
    end
    local function load1(body)
        if #known == 0 then return load(body, "=stdin", "t") end
        local make, message = load("local " .. concat(known, ",") .. " return function(...) " .. body
            .. "\nend", "=stdin", "t")
        if not make then return nil, message end
        local chunk = make()
        for at = 1, 255 do
            local name = getupvalue(chunk, at)
            if not name then break end
            local cell = cells[name]
            if cell and name ~= "_ENV" then upvaluejoin(chunk, at, cell[1], cell[2]) end
        end
        return chunk
    end
    if load("return " .. text .. "\n;", "=stdin", "t") then return load1("return " .. text .. "\n") end
    local isWhole, message = load(text, "=stdin", "t")
    if not isWhole then return nil, message end
    if #locals > 0 then
        local list = concat(locals, ",")
        local function take(fn) keepConstants(keep(fn), locals, fn()) end
        local body = sub(text, 1, place) .. "\n_opscript_keep(function() return " .. list .. " end)"
            .. sub(text, place + 1)
        cells._opscript_keep = { makeCell(take), 1 }
        known[#known + 1] = "_opscript_keep"
        local made = load1(body)
        known[#known] = nil
        cells._opscript_keep = nil
        if made then return made end
    end
    return load1(text)
end

local commands = {}

function commands.check(text)
    if sub(text, 1, 1) == "=" then text = "return " .. sub(text, 2) end
    if load("return " .. text .. "\n;", "=stdin", "t") then return "whole" end
    local chunk, message = load(text, "=stdin", "t")
    return not chunk and find(message, "<eof>$") and "unfinished" or "whole"
end

local function isOwn(line) return find(line, "[opscript prompt]", 1, true) end

-- An error as text, with the frames of the line.
local function describe(value)
    if type(value) ~= "string" then
        local mt = getmetatable(value)
        local isText = type(value) == "userdata" or type(mt) == "table" and rawget(mt, "__tostring")
        if not isText then return "error with a value: " .. show(value, 80) end
        local ok, text = pcall(tostring, value)
        value = ok and text or "error with a value that has no text"
    end
    local frames, count = {}, 0
    for line in gmatch(traceback("", 2), "[^\n]+") do
        if isOwn(line) then break end
        frames[#frames + 1] = line
        if not find(line, "[C]: ", 1, true) then count = count + 1 end
    end
    while #frames > 0 and find(frames[#frames], "[C]: ", 1, true) do frames[#frames] = nil end
    -- A line that uses variables of earlier ones is a function.
    if #frames > 0 then frames[#frames] = gsub(frames[#frames], "in function <stdin:1>$", "in main chunk") end
    -- One frame says no more than the place in front of the message.
    if count <= 2 then return value end
    return value .. "\n" .. concat(frames, "\n")
end

function commands.run(text, used, locals, place, columns)
    local chunk, message = compile(text, words(used), words(locals), place)
    if not chunk then return message end
    local results = pack(xpcall(chunk, describe))
    if not results[1] then return results[2] end
    if results.n == 1 then return nil end
    local value = results[2]
    if results.n == 2 and rawequal(value, leave) then return leave() end
    if results.n == 2 and rawequal(value, help) then return help() end
    if value ~= nil then rawset(G, "_", value) end
    local texts = {}
    for at = 2, results.n do
        local one = results[at]
        texts[#texts + 1] = type(one) == "string" and one or show(one, columns)
    end
    print(concat(texts, "\t"))
end

function commands.leave() exit(0, true) end

-- Names for completion: one in each line, and the type of the value behind a tab.
function commands.names(path)
    local value, isThere = G, false
    for name in gmatch(path, "[^\n]+") do
        if not isThere and name == '""' then
            value = string
        elseif not isThere and cells[name] then
            value = select(2, getupvalue(cells[name][1], cells[name][2]))
        else
            value = peek(value, name)
        end
        isThere = true
        if value == nil then return "" end
    end
    local list = {}
    if not isThere then
        for name in next, cells do list[#list + 1] = name end
    end
    addNames(value, list)
    local mt = getmetatable(value)
    local kind = type(mt) == "table" and rawget(mt, "__metatable") or mt
    return concat(list, "\n") .. "\t" .. (type(kind) == "string" and kind or "")
end

if rawget(G, "exit") == nil then rawset(G, "exit", leave) end
if rawget(G, "help") == nil then rawset(G, "help", help) end

return function(command, ...) return commands[command](...) end
