-- A seed fixes math.random, even after math.randomseed() without a number.
-- arguments: --virtual --seed 42
-- expect-stdout: 742 50 332
-- expect-stdout: true
local function three()
    return math.random(1000), math.random(1000), math.random(1000)
end
local function text(...) return table.concat({ ... }, " ") end
print(text(three()))
math.randomseed()
local other = text(three())
math.randomseed(43)
print(other == text(three()))
