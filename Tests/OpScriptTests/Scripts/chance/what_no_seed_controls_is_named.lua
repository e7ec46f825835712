-- A warning names, once, each function that neither a seed nor virtual time controls.
-- arguments: --virtual
-- expect-stderr: warning: no seed controls 'io.popen'
-- expect-stderr: warning: no seed controls a source of signals
for _ = 1, 2 do
    io.popen("true"):close()
end
assert(os.execute("true"))
DispatchSource.signal("SIGUSR1"):cancel()
