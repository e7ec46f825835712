internal import OpScript

/// How many primes lie below a number.
///
/// A sieve of odd numbers, segment by segment, so that memory grows with the square root only; cancellation
/// is checked between segments.
///
/// - Complexity: O(*n* log log *n*).
func primeCount(_ context: WorkContext, below n: Int) throws -> Int {
    guard n <= mostNumbers else {
        throw ScriptError(.argument, "cannot count primes below \(n): \(mostNumbers) is the most")
    }
    guard n > 2 else { return 0 }
    let divisors = oddPrimes(upTo: Int(Double(n).squareRoot()) + 1)
    context.progress.totalUnitCount = Int64(n)
    var count = 1  // Two, the only even prime.
    // Cell i of a segment represents the number start + 2 i.
    var isComposite = [Bool](repeating: false, count: 1 << 16)
    var start = 3
    while start < n {
        try context.checkCancellation()
        let cells = min(isComposite.count, (n - start + 1) / 2)
        let end = start + 2 * cells
        isComposite.withUnsafeMutableBufferPointer { isComposite in
            isComposite.update(repeating: false)
            for divisor in divisors {
                if divisor * divisor >= end { break }
                // The first odd multiple in this segment that no smaller divisor has crossed out for all.
                var multiple = max(divisor * divisor, (start + divisor - 1) / divisor * divisor)
                if multiple.isMultiple(of: 2) { multiple += divisor }
                var cell = (multiple - start) / 2
                while cell < cells {
                    isComposite[cell] = true
                    cell += divisor
                }
            }
            for cell in 0..<cells where !isComposite[cell] { count += 1 }
        }
        start = end
        context.progress.completedUnitCount = Int64(min(start, n))
    }
    return count
}

/// A larger number would take days.
private let mostNumbers = 1_000_000_000_000

private func oddPrimes(upTo n: Int) -> [Int] {
    guard n >= 3 else { return [] }
    var isComposite = [Bool](repeating: false, count: n + 1)
    var primes: [Int] = []
    for candidate in stride(from: 3, through: n, by: 2) where !isComposite[candidate] {
        primes.append(candidate)
        for multiple in stride(from: candidate * candidate, through: n, by: 2 * candidate) {
            isComposite[multiple] = true
        }
    }
    return primes
}
