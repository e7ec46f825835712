-- `retry`: attempts count the first; `op.attempt` counts.
local seen = {}
local op = Operation {
    retry = { attempts = 3, delay = 0.001 },
    main = function(op)
        seen[#seen + 1] = op.attempt
        if op.attempt < 3 then error("not yet") end
        return "done"
    end,
}
assert(await(op) == "done")
assert(table.concat(seen, " ") == "1 2 3")
assert(op.outcome == "succeeded" and op.attempt == 3 and op.error == nil)
