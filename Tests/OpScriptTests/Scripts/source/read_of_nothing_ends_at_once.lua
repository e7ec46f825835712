-- Reading from /dev/null is at the end at once.
-- expect-stdout: 0
local file <close> = assert(io.open("/dev/null"))
local told = Gate "told"
local source = DispatchSource.read(file)
source:setEventHandler(function() print(source.data) source:cancel() told:finish() end)
source:activate()
await(told)
