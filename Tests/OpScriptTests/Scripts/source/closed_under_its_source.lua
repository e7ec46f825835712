-- A descriptor that is closed under its source cancels the source, and this is reported.
-- expect-stderr: read source of descriptor %d+ is cancelled: the descriptor was closed under it
-- expect-stdout: cancelled	true
local pipe = io.popen("sleep 0.05")
local source = DispatchSource.read(pipe)
source:setEventHandler(function() error("never") end)
source:setCancelHandler(function() print("cancelled", source.isCancelled) end)
source:activate()
pipe:close()
