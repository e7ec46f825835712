import Testing

@testable import OpScript

/// The names that people guess, and the names that exist.
@Suite struct GuessedNamesTests {
    @Test func `each guess is in the table once`() {
        let guesses = GuessedNames.table.flatMap { $0.guesses.lowercased().split(separator: " ") }
        #expect(Set(guesses).count == guesses.count)
    }

    @Test func `a guess has its answer only where the name exists`() {
        #expect(
            nearestName(to: "width", among: ["height", "maxConcurrentOperationCount"])
                == "maxConcurrentOperationCount"
        )
        #expect(nearestName(to: "Width", among: ["limit"]) == "limit")
        #expect(nearestName(to: "width", among: ["name"]) == nil)
        // The first of several answers that exists at the place.
        #expect(nearestName(to: "retries", among: ["retry", "attempts"]) == "attempts")
        #expect(nearestName(to: "retries", among: ["retry"]) == "retry")
        // An answer goes before a name with similar letters.
        #expect(nearestName(to: "add", among: ["addBarrierBlock", "addOperation"]) == "addOperation")
    }

    @Test func `an option that is a property of the operation is answered with it`() {
        #expect(
            suggestion(forOption: "timeout", among: ["cwd"]) == "; set 'timeout' of the operation instead"
        )
        #expect(suggestion(forOption: "timeout", among: ["timeouts"]) == " (did you mean 'timeouts'?)")
        #expect(suggestion(forOption: "retries", among: ["cwd"]) == "; set 'retry' of the operation instead")
        #expect(suggestion(forOption: "nonsense", among: ["cwd"]).isEmpty)
    }

    @Test func `the answers are names that scripts can use`() {
        var names: Set<String> = [
            // Options of calls and works, which no type of the engine has as a property.
            "attempts", "maximumDelay", "dependencies", "main", "limit", "after", "at", "cwd", "env", "input",
            "output",
            "to", "repeating", "block",
        ]
        for type in ScriptType.all { names.formUnion(type.readableNames) }
        for (guesses, answers) in GuessedNames.table {
            for answer in answers.split(separator: " ") {
                #expect(names.contains(String(answer)), "\(guesses): \(answer)")
            }
        }
    }
}
