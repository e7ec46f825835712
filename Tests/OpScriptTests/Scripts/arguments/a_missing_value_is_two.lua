-- An option without its value is refused; the next option is not its value.
-- script-arguments: a --jobs --verbose
-- expect-status: 2
-- expect-stderr: %-%-jobs needs a value: an integer
-- expect-stdout: before
print "before"
arguments {
    { "--jobs", type = "integer" },
    { "--format", choices = { "png", "gif" } },
    { "--verbose", type = "boolean" },
    { "from" },
    { "to", required = false },
}
print "never printed"
