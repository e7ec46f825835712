-- cancelAt cancels the run after this many turns, as Ctrl-C would.
-- arguments: --virtual
local rounds = 0
cancelAt(5)
local ok, problem = pcall(function()
    while true do
        sleep(1)
        rounds = rounds + 1
    end
end)
assert(not ok and problem.code == "cancelled", problem)
assert(rounds == 4, rounds)
