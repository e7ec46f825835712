-- A late result of an attempt is not the result of the next one.
-- arguments: --virtual
local attempts = 0
local operation = Operation {
    timeout = 1,
    retry = { attempts = 2, delay = 0 },
    main = function()
        attempts = attempts + 1
        if attempts == 1 then
            pcall(sleep, 5)
            return "too late"
        end
    end,
}
assert(await(operation) == nil)
assert(attempts == 2 and operation.result == nil, operation.result)
