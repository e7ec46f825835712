-- A script with tasks and without `arguments` knows no option but `--help`.
-- script-arguments: build --fast
-- expect-status: 2
-- expect-stderr: there is no option '%-%-fast'
task("build", "Builds it.", function() error "it ran" end)
