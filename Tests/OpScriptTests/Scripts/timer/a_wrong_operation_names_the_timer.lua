-- A function for `operation` that returns no operation is an error with the place of the timer.
-- expect-status: 1
-- expect-stderr: a_wrong_operation_names_the_timer%.lua:4: the function of a timer's 'operation' has to return an operation
Timer.scheduledTimer { interval = 0.01, operation = function() return 5 end }
