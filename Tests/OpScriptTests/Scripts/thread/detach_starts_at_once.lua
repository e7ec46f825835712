-- Thread.detach takes the name of a work or an isolate, starts a thread and returns it.
local primes = Thread.detach("compute.primes", 1000)
local double = Thread.detach(isolate(function(n) return 2 * n end), 21)
assert(primes.number ~= double.number and primes.number > 1)
assert(primes:join() and double:join())
assert(primes.result == 168 and double.result == 42)
-- An asynchronous work holds the thread until it ends; sleep sleeps.
local before = clock.now()
local sleeping = Thread.detach("sleep", 0.02)
assert(sleeping:join() and sleeping.result == nil and clock.now() - before >= 0.02)
local run = Thread.detach("process.run", { "echo", "hello" })
assert(run:join() and run.result.output == "hello\n")
