/// The difference of two texts, line by line.
enum LineDifference {
    /// A line, and the texts that contain it.
    enum Line: Equatable {
        case same(String)
        case removed(String)
        case added(String)
        /// This many lines that both texts contain were left out.
        case left(Int)
    }

    /// The same with only those common lines that are next to a difference.
    static func shortened(_ lines: [Line], context: Int = 3) -> [Line] {
        var result: [Line] = []
        var run: [Line] = []
        func end(isLast: Bool) {
            // The first lines follow a difference, or begin the text; the last ones precede a difference, or
            // end the text.
            let head = result.isEmpty ? min(1, context) : context
            let tail = isLast ? min(1, context) : context
            if run.count > head + tail + 2 {
                result += run.prefix(head) + [.left(run.count - head - tail)] + run.suffix(tail)
            } else {
                result += run
            }
            run = []
        }
        for line in lines {
            if case .same = line {
                run.append(line)
            } else {
                end(isLast: false)
                result.append(line)
            }
        }
        end(isLast: true)
        return result
    }

    /// The shortest edit from one text to the other.
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
