-- opscript --virtual --report docs/pictures/failure.svg docs/pictures/failure.lua
local function step(name, seconds, reason)
    return Operation {
        name = name, allowsFailure = true,
        main = function()
            sleep(seconds)
            if reason then error(reason, 0) end
        end,
    }
end
local compile, check = step("compile", 3), step("check", 2, "2 of 40 checks failed")
local package, publish = step("package", 1), step("publish", 1)
local notify, cleanUp = step("notify", 1), step("clean up", 1)
package:addDependency(compile)
publish:addDependency(package)
publish:addDependency(check, "succeeded")
notify:addDependency(publish, "failed")
cleanUp:addDependency(publish, "finished")
OperationQueue.default:addOperations({ compile, check, package, publish, notify, cleanUp }, true)
