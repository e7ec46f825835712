-- An unknown task ends the script with status 2 and the nearest name; none of the tasks runs.
-- script-arguments: clean biuld
-- expect-status: 2
-- expect-stderr: there is no task 'biuld' %(did you mean 'build'%?%)
task("build", "Builds it.", function() error "it ran" end)
task("clean", "Removes what was built.", function() error "it ran" end)
