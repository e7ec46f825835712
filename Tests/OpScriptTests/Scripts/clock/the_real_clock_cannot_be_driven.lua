-- `clock.advance(seconds)` and `clock.run()` are errors on the real clock.
assert(clock.isVirtual == false)
assert(not pcall(function() clock.advance(1) end))
assert(not pcall(function() clock.run() end))
