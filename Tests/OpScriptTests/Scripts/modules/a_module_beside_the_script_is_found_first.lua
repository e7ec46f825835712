-- `require` finds modules beside the script first, then along `package.path`.
local greeting = require "modules.greeting"
assert(greeting.word == "hello")
assert(require "modules.greeting" == greeting, "the module was loaded twice")
assert(package.loaded["modules.greeting"] == greeting)
