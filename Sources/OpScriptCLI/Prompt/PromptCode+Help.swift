extension PromptCode {
    /// `help`, `help(x)` and `exit`. A topic is found by a name, or by the value itself.
    static let help = #"""
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

        """#
}
