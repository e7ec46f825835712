internal import ArgumentParser

/// Reads the numbers of options, and names what is expected instead of another word.
enum NumberWords {
    /// A whole number. The range is checked with all other options.
    static func count(_ word: String) throws -> Int {
        guard let count = Int(word) else { throw ValidationError("it must be a whole number of at least 1") }
        return count
    }

    /// A number of seconds. The range is checked with all other options.
    static func seconds(_ word: String) throws -> Double {
        guard let seconds = Double(word) else {
            throw ValidationError("it must be a number of seconds, such as 90 or 0.5")
        }
        return seconds
    }
}
