-- `maximumDelay` bounds the delay: forty attempts whose delay would grow to years end all the same.
local count = 0
local op = Operation {
    retry = { attempts = 40, delay = 0.001, backoff = "exponential", maximumDelay = 0.002, jitter = 0.1 },
    main = function()
        count = count + 1
        if count < 40 then error("again") end
        return count
    end,
}
assert(await(op) == 40)
