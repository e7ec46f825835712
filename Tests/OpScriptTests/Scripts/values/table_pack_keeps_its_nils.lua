-- `n` is a length if all other keys are 1...n, so `table.pack` keeps its nils.
assert(await(work.json.encode(table.pack(1, nil, 3))) == "[1,null,3]")
assert(await(work.json.encode(table.pack(nil, nil))) == "[null,null]")
assert(await(work.json.encode(table.pack("a"))) == '["a"]')
