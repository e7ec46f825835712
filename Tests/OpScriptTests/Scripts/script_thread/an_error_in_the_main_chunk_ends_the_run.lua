-- An uncaught error of the main chunk ends the run with status 1; message with position, and a traceback.
-- expect-status: 1
-- expect-stderr: an_error_in_the_main_chunk_ends_the_run%.lua:7: main broke
-- expect-stderr: stack traceback:
Timer.scheduledTimer { interval = 600, repeats = true, block = function() end }
local function inner()
    error("main broke")
end
inner()
