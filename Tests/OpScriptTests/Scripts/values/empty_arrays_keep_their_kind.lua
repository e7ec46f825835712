-- Empty arrays keep their kind on the way through the script.
assert(await(work.json.encode(await(work.json.decode("[]")))) == "[]")
assert(await(work.json.encode(await(work.json.decode("{}")))) == "{}")
