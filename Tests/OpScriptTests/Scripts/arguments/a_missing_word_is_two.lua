-- A positional argument is required unless its declaration says otherwise.
-- script-arguments: --jobs 3
-- expect-status: 2
-- expect-stderr: <from> is missing
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
