-- Captured tables keep their identity, their cycles and their metatables.
local Point = {}
Point.__index = Point
function Point.new(x) return setmetatable({ x = x }, Point) end
function Point:double() return Point.new(2 * self.x) end
Point.__eq = function(a, b) return a.x == b.x end

local shared = {}
local tree = { left = shared, right = shared, origin = Point.new(4), [shared] = "key" }
tree.root = tree
local same, cycle, value, equal, key = await(isolate(function()
    return rawequal(tree.left, tree.right), tree.root == tree, tree.origin:double().x,
        tree.origin == Point.new(4), tree[tree.left]
end)())
assert(same and cycle and value == 8 and equal and key == "key")
