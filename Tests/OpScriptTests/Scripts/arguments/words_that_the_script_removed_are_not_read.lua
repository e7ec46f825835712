-- `arguments` reads the words that are in `arg` when it is called; a word may be any bytes.
-- script-arguments: first --name x
assert(table.remove(arg, 1) == "first")
arg[2] = "\xff"
assert(arguments { { "--name" } }.name == "\xff")
