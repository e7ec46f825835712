-- `--help` prints the usage with every option, and ends the script with status 0, even beside wrong words.
-- script-arguments: --wrong --help
-- expect-stdout: OVERVIEW: Converts pictures.
-- expect-stdout:
-- expect-stdout: USAGE: convert [--jobs n] FILE ...
-- expect-stdout:
-- expect-stdout: ARGUMENTS:
-- expect-stdout:   <file>                  The pictures.
-- expect-stdout:
-- expect-stdout: OPTIONS:
-- expect-stdout:   -j, --jobs <n>          How many at once. (default: 4)
-- expect-stdout:   -h, --help              Show this help.
pcall(arguments, {
    usage = "convert [--jobs n] FILE ...",
    help = "Converts pictures.",
    { "--jobs", "-j", type = "integer", default = 4, valueName = "n", help = "How many at once." },
    { "file", many = true, help = "The pictures." },
})
print "never printed"
