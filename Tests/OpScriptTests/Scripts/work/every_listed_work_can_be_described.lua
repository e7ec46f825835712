-- Everything that `pairs(work)` lists has a description.
for name in pairs(work) do
    assert(type(work.describe(name)) == "table", name)
end
