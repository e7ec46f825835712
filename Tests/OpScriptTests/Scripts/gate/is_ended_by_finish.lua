-- `Gate "name"`: an operation without a body, ended by `finish`.
local gate = Gate "door"
assert(gate.name == "door" and gate.isFinished == false and gate.queue == nil)
gate:finish("open", 2)
local word, number = await(gate)
assert(word == "open" and number == 2)
assert(gate.outcome == "succeeded" and gate.result == "open" and gate.queue == nil)
