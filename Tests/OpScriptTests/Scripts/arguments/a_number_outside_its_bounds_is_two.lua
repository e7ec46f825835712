-- A number below the minimum is refused.
-- script-arguments: --jobs -2
-- expect-status: 2
-- expect-stderr: %-%-jobs is '%-2', but it must be an integer from 1 to 64
-- expect-stdout: before
print "before"
arguments {
    { "--jobs", type = "integer", minimum = 1, maximum = 64, default = 4 },
    { "--ratio", type = "number", minimum = 0 },
}
print "never printed"
