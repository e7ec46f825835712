extension Prelude {
    static let simulateSource: String = #"""
        local _ENV = ...

        -- simulate(pattern, { duration, result, error } | function | mode)
        local modes = { real = true, instant = true, registered = true, modelled = true }

        local function checkDuration(duration)
            if duration ~= nil and (mathType(duration) == nil or not (duration >= 0)) then
                fail("argument", "bad value for 'duration' (a number of seconds of at least 0 expected, got "
                    .. quantity(duration) .. ")")
            end
        end

        local function play(model)
            checkDuration(model.duration)
            if model.duration and model.duration > 0 then
                sleep(model.duration)
            end
            if model.error ~= nil then
                error(model.error, 0)
            end
            return model.result
        end

        local function isModel(value)
            if type(value) ~= "table" then
                return false
            end
            local isEmpty = true
            for key in next, value do
                if key ~= "duration" and key ~= "result" and key ~= "error" then
                    return false
                end
                isEmpty = false
            end
            return not isEmpty
        end

        local function wrap(fn)
            return function(...)
                local results = pack(fn(...))
                if results.n == 1 and isModel(results[1]) then
                    return play(results[1])
                end
                return unpack(results, 1, results.n)
            end
        end

        local function fromTable(options)
            for key in pairs(options) do
                if key ~= "duration" and key ~= "result" and key ~= "error" and key ~= "mode" then
                    fail("argument", "simulate has no option '" .. tostring(key)
                        .. "' (there are 'duration', 'result', 'error', 'mode')")
                end
            end
            checkDuration(options.duration)
            local mode = options.mode
            if mode ~= nil and not modes[mode] then
                fail("argument", "bad value for 'mode' ('real', 'instant', 'registered' or 'modelled' expected, got "
                    .. (type(mode) == "string" and "'" .. mode .. "'" or kind(mode)) .. ")")
            end
            if mode == nil or mode == "modelled" then
                local model = { duration = options.duration, result = options.result, error = options.error }
                return function()
                    return play(model)
                end
            end
            if options.duration ~= nil or options.result ~= nil or options.error ~= nil then
                fail("argument", "a simulated work in mode '" .. tostring(mode)
                    .. "' has no duration, result or error of its own")
            end
            return mode
        end

        function functions.simulate(pattern, model, ...)
            refuseMore("simulate", 3, ...)
            if type(pattern) ~= "string" then
                fail("argument", "bad argument #1 to 'simulate' (string expected, got " .. kind(pattern) .. ")")
            end
            local given = model
            if type(model) == "table" then
                model = fromTable(model)
            elseif type(model) == "function" then
                model = wrap(model)
            end
            if type(model) ~= "function" and not (modes[model] and model ~= "modelled") then
                local got = type(model) == "string" and "'" .. model .. "'" or kind(given)
                fail("argument", "bad argument #2 to 'simulate' "
                    .. "(table, function, 'real', 'instant' or 'registered' expected, got " .. got .. ")")
            end
            setModel(pattern, model)
        end
        """#

    static let faultsSource: String = #"""
        local _ENV = ...

        -- fail(pattern, { probability, error }), delay(pattern, seconds | { least, most }), hold(pattern),
        -- release(pattern), cancelAt(step)
        local function checkPattern(what, pattern)
            if type(pattern) ~= "string" then
                fail("argument", "bad argument #1 to '" .. what .. "' (string expected, got " .. kind(pattern) .. ")")
            end
        end

        function functions.fail(pattern, options, ...)
            refuseMore("fail", 3, ...)
            checkPattern("fail", pattern)
            if options == nil then
                options = {}
            elseif type(options) ~= "table" then
                fail("argument", "bad argument #2 to 'fail' (table expected, got " .. kind(options) .. ")")
            end
            for key in pairs(options) do
                if key ~= "probability" and key ~= "error" then
                    fail("argument", "fail has no option '" .. tostring(key) .. "' (there are 'probability', 'error')")
                end
            end
            local probability = options.probability
            if probability == nil then
                probability = 1
            end
            if mathType(probability) == nil or not (probability >= 0 and probability <= 1) then
                fail("argument", "bad value for 'probability' (a number from 0 to 1 expected, got "
                    .. quantity(probability) .. ")")
            end
            local problem = options.error
            if problem == nil then
                problem = "failed on purpose"
            end
            fault("fail", pattern, probability, function()
                error(problem, 0)
            end)
        end

        function functions.delay(pattern, seconds, ...)
            refuseMore("delay", 3, ...)
            checkPattern("delay", pattern)
            local least, most = seconds, seconds
            if type(seconds) == "table" then
                least, most = seconds[1], seconds[2]
                for key in next, seconds do
                    if key ~= 1 and key ~= 2 then
                        fail("argument", "bad argument #2 to 'delay' ({ least, most } has no '"
                            .. tostring(key) .. "')")
                    end
                end
            end
            if mathType(least) == nil or mathType(most) == nil or not (least >= 0 and most >= least and most < 1e9) then
                fail("argument", "bad argument #2 to 'delay' (seconds from 0 to below 1e9, or { least, most }, "
                    .. "expected, got " .. quantity(seconds) .. ")")
            end
            fault("delay", pattern, least, most)
        end

        function functions.hold(pattern, ...)
            refuseMore("hold", 2, ...)
            checkPattern("hold", pattern)
            fault("hold", pattern)
        end

        function functions.release(pattern, ...)
            refuseMore("release", 2, ...)
            checkPattern("release", pattern)
            fault("release", pattern)
        end

        function functions.cancelAt(step, ...)
            refuseMore("cancelAt", 2, ...)
            local given = step
            step = wholeNumber(given, 1)
            if not step then
                fail("argument", "bad argument #1 to 'cancelAt' (a whole number of at least 1 expected, got "
                    .. quantity(given) .. ")")
            end
            setCancelStep(step)
        end
        """#
}
