-- `threadPriority` (0.0 to 1.0) picks a lane of workers; the result is the same.
for _, priority in ipairs { 0.0, 0.3, 0.5, 0.8, 1.0, 0, 1 } do
    local op = work.compute.primes(1000)
    op.threadPriority = priority
    assert(await(op) == 168)
end
