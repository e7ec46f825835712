/// A heap with four children for each element, in one block of memory.
///
/// Half as deep as a binary heap, with the same comparisons and fewer cache lines.
/// - Complexity: O(log *n*) to insert and to change or remove the first one.
@usableFromInline
struct QuaternaryHeap<Element: Comparable & BitwiseCopyable> {
    @usableFromInline private(set) var elements: [Element] = []

    @inlinable
    init() {}

    /// The least element.
    @inlinable var first: Element? { elements.first }

    /// True if the element is the first one now.
    @discardableResult
    @inlinable
    mutating func insert(_ element: Element) -> Bool {
        elements.append(element)
        return siftUp(elements.count - 1)
    }

    /// Replaces the first element.
    @inlinable
    mutating func replaceFirst(with element: Element) {
        elements[0] = element
        siftDown(0)
    }

    @inlinable
    mutating func removeFirst() {
        let last = elements.removeLast()
        if !elements.isEmpty { replaceFirst(with: last) }
    }

    /// Replaces an element by a lesser one.
    @inlinable
    mutating func lower(at position: Int, to element: Element) {
        elements[position] = element
        siftUp(position)
    }

    /// Drops elements.
    /// - Complexity: O(*n*).
    @inlinable
    mutating func removeAll(where isUseless: (Element) -> Bool) {
        elements.removeAll(where: isUseless)
        for position in stride(from: (elements.count - 2) >> 2, through: 0, by: -1) { siftDown(position) }
    }

    /// True if the element is the first one afterwards.
    @discardableResult
    @inlinable
    mutating func siftUp(_ start: Int) -> Bool {
        elements.withUnsafeMutableBufferPointer { elements in
            var position = start
            let element = elements[position]
            while position > 0 {
                let parent = (position - 1) >> 2
                guard element < elements[parent] else { break }
                elements[position] = elements[parent]
                position = parent
            }
            elements[position] = element
            return position == 0
        }
    }

    @inlinable
    mutating func siftDown(_ start: Int) {
        elements.withUnsafeMutableBufferPointer { elements in
            var position = start
            let element = elements[position]
            while true {
                let firstChild = position << 2 + 1
                guard firstChild < elements.count else { break }
                var least = firstChild
                for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, elements.count))
                where elements[child] < elements[least] {
                    least = child
                }
                guard elements[least] < element else { break }
                elements[position] = elements[least]
                position = least
            }
            elements[position] = element
        }
    }
}
