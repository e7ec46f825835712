-- A script whose waits all return at once never comes to a turn, and is cancelled at one of them all the same.
-- arguments: --timeout 1
-- expect-status: 124
local op = Operation(function() end)
await(op)
while true do op:waitUntilFinished() end
