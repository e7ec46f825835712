-- If the script declares positional arguments, the first word is the task and the others are theirs.
-- script-arguments: print a b
-- expect-stdout: a b
arguments { { "file", many = true } }
task("print", "Prints the words.", function(options) print(table.concat(options.file, " ")) end)
