/// Two texts, line by line.
enum LineDifference {
    /// A line, and in which of the two texts it stands.
    enum Line: Equatable {
        case same(String)
        case removed(String)
        case added(String)
    }

    /// The shortest way from one text to the other.
    static func lines(from old: String, to new: String) -> [Line] {
        let before = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in after.difference(from: before) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var result: [Line] = []
        var (left, right) = (0, 0)
        while left < before.count || right < after.count {
            if left < before.count, removed.contains(left) {
                result.append(.removed(before[left]))
                left += 1
            } else if right < after.count, added.contains(right) {
                result.append(.added(after[right]))
                right += 1
            } else {
                result.append(.same(before[left]))
                left += 1
                right += 1
            }
        }
        return result
    }
}
