/// Both outputs of a process in the order in which they were read.
///
/// It keeps only how long the pieces are; the bytes are those of the two captures.
struct Transcript {
    private struct Piece {
        let isError: Bool
        var count: Int
    }

    private var pieces: [Piece] = []

    /// Notes that so many bytes of an output were read. Amortised O(1).
    mutating func read(_ count: Int, isError: Bool) {
        guard count > 0 else { return }
        if let last = pieces.indices.last, pieces[last].isError == isError {
            pieces[last].count += count
        } else {
            pieces.append(Piece(isError: isError, count: count))
        }
    }

    /// The bytes of both outputs, in order.
    ///
    /// - Complexity: O(bytes).
    func bytes(_ output: [UInt8], _ errorOutput: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(output.count + errorOutput.count)
        var places = (output: 0, error: 0)
        for piece in pieces {
            if piece.isError {
                result += errorOutput[places.error..<places.error + piece.count]
                places.error += piece.count
            } else {
                result += output[places.output..<places.output + piece.count]
                places.output += piece.count
            }
        }
        return result
    }
}
