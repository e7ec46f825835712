-- `print` inside an isolate writes whole lines to the standard output, before its operation ends.
-- expect-stdout: before
-- expect-stdout: inside	1	nil
-- expect-stdout: after
print("before")
await(isolate(function(...) print("inside", ...) end)(1, nil))
print("after")
