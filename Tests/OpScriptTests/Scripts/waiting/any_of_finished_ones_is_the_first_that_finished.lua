-- `await.any` returns the operation that finished first, and its index, even if all had finished before.
local slow, quick, open = Gate "slow", Gate "quick", Gate "open"
quick:finish()
sleep(0)
slow:cancel()
sleep(0)
local op, index = await.any { open, slow, quick }
assert(op == quick and index == 3, index)
op, index = await.any { slow, open, slow }
assert(op == slow and index == 1, index)
open:finish()
