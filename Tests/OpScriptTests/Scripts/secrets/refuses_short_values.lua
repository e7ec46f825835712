-- `secret` refuses a value that would be found in words that have nothing to do with it.
-- expect-stdout: ok
for _, value in ipairs { "", "abc", "  abc\n" } do
    local ok, e = pcall(secret, value)
    assert(not ok and e.code == "argument" and e.message:find("a secret needs at least 4 bytes beside white space"), e)
end
assert(secret("  four\n") == "  four\n")
local ok, e = pcall(secret, os.getenv("NO_SUCH_VARIABLE"))
assert(not ok and e.message:find("string expected, got nil"), e)
ok, e = pcall(secret, 12345)
assert(not ok and e.message:find("string expected, got number"), e)
print("ok")
