-- `function Resize:main()` is the synchronous body of a subclass.
local Resize = Operation:subclass "Resize"
function Resize:init(options)
    self.width = options.width
end
function Resize:main()
    return self.width * 2
end
local op = Resize { width = 21, name = "half" }
assert(op.name == "half" and op.width == 21)
assert(op.isAsynchronous == false)
assert(await(op) == 42 and op.outcome == "succeeded")
