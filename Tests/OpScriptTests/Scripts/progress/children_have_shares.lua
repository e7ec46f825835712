-- A child represents a share of its parent's units.
local parent, child, grandchild = Progress(10), Progress(4), Progress(2)
parent:addChild(child, 5)
child:addChild(grandchild, 2)
parent.completedUnitCount = 1
grandchild.completedUnitCount = 1
assert(child.fractionCompleted == 0.25 and parent.fractionCompleted == 0.225)
grandchild.completedUnitCount = 2
child.completedUnitCount = 4
assert(parent.completedUnitCount == 6 and parent.fractionCompleted == 0.6)
local many = Progress(2)
many:addChild(Progress(1), 5)
local last = Progress(1)
many:addChild(last, 5)
last.completedUnitCount = 1
assert(many.fractionCompleted == 1)
