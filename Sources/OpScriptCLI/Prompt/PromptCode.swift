internal import OpScript

/// The Lua code of the prompt: it runs lines, shows values, and finds the names that a line can use.
enum PromptCode {
    /// The library; `answer` gives the texts of `help`.
    static func library(answer: @escaping @Sendable (ScriptValue) -> ScriptValue) -> PromptLibrary {
        PromptLibrary(name: "[opscript prompt]", source: names + values + help + lines, answer: answer)
    }

    /// The functions that all parts use. A script may replace the globals.
    private static let names = #"""
        local answer = ...
        local type, tostring, pcall, xpcall, next, rawget, rawset, rawequal, rawlen, select, error, load, print =
            type, tostring, pcall, xpcall, next, rawget, rawset, rawequal, rawlen, select, error, load, print
        local setmetatable, exit, stderr, mathtype = setmetatable, os.exit, io.stderr, math.type
        local pack, unpack, concat, sort = table.pack, table.unpack, table.concat, table.sort
        local sub, gsub, gmatch, format, rep, find, byte =
            string.sub, string.gsub, string.gmatch, string.format, string.rep, string.find, string.byte
        local utf8len, utf8offset = utf8.len, utf8.offset
        local traceback, getinfo, getupvalue, upvaluejoin, getmetatable =
            debug.traceback, debug.getinfo, debug.getupvalue, debug.upvaluejoin, debug.getmetatable
        local G = _G

        local isKeyword = {}
        for word in gmatch("and break do else elseif end false for function goto if in local nil not or repeat "
            .. "return then true until while", "%a+") do isKeyword[word] = true end

        """#

    /// Runs lines. The variables that a line declares with `local` are kept as upvalues of a function, which later
    /// lines share.
    private static let lines = #"""
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

        function commands.leave() exit(0) end

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
        """#
}
