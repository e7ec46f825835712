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
