-- An uncaught error in a timer block ends the run. Status 1.
-- expect-status: 1
-- expect-stderr: an_uncaught_error_in_a_timer_block%.lua:6: bad tick
-- expect-stdout: begun
Timer.scheduledTimer { interval = 0.001, repeats = true, block = function()
    error("bad tick")
end }
print("begun")
sleep(60)
print("not reached")
