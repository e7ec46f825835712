-- Progress may have a hundred levels below one another.
local top = Progress(10)
local levels = 1
local ok, problem = pcall(function()
    while true do
        local above = Progress(10)
        above:addChild(top, 1)
        top = above
        levels = levels + 1
    end
end)
assert(not ok and problem.code == "misuse" and problem.message:find("more than 100 levels"), problem)
assert(levels == 100, levels)
