-- What neither a seed nor virtual time controls is named by a warning, once.
-- arguments: --virtual
-- expect-stderr: warning: no seed controls 'io.popen'
-- expect-stderr: warning: no seed controls a source of signals
for _ = 1, 2 do
    io.popen("true"):close()
end
assert(os.execute("true"))
DispatchSource.signal("SIGUSR1"):cancel()
