/// The candidate that `name` was most likely meant to be, or nil if none comes close.
///
/// A guess such as `width` has its answer in ``GuessedNames``. For all other names, counts insertions, removals,
/// replacements and swaps of neighbours, ignoring case; up to a third of the name may differ.
///
/// - Complexity: O(*n* · *m*²) for *n* candidates of length *m*; for error messages only.
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    if let meant = GuessedNames.meant(by: name, among: candidates) { return meant }
    let wanted = Array(name.lowercased().unicodeScalars.prefix(200))
    let most = max(1, wanted.count / 3)
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let other = Array(candidate.lowercased().unicodeScalars)
        guard abs(other.count - wanted.count) <= most else { continue }
        let distance = editDistance(wanted, other)
        // Equal distances: the one that comes first in the alphabet, so that messages do not depend on hashing.
        if distance <= most, best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true {
            best = (candidate, distance)
        }
    }
    if let best { return best.name }
    // Half a name: `maxConcurrent` for `maxConcurrentOperationCount`.
    let lowercased = name.lowercased()
    guard lowercased.count >= 3 else { return nil }
    return candidates.filter { candidate in
        let candidate = candidate.lowercased()
        return candidate.hasPrefix(lowercased) || candidate.hasSuffix(lowercased)
    }.min()
}

/// ` (did you mean 'pattern'?)`, or nothing if no name comes close.
package func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
    nearestName(to: name, among: candidates).map { " (did you mean '\($0)'?)" } ?? ""
}

/// The same for an option of a work. A script may also set properties of the operation there by mistake: for
/// `timeout`, the hint is `; set 'timeout' of the operation instead`.
package func suggestion(forOption name: String, among candidates: some Sequence<String>) -> String {
    let near = suggestion(for: name, among: candidates)
    guard near.isEmpty else { return near }
    let properties = OperationBinding.type.settableNames
    let property = properties.contains(name) ? name : GuessedNames.meant(by: name, among: properties)
    return property.map { "; set '\($0)' of the operation instead" } ?? ""
}

private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    var row = last
    for i in a.indices {
        row[0] = i + 1
        for j in b.indices {
            row[j + 1] = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
            }
        }
        (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[b.count]
}
