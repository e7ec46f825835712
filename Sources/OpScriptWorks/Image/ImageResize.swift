internal import Glibc
internal import OpScript

/// The way in which the pixels of a scaled picture are mixed from those of the old one.
enum ResizeFilter: String, CaseIterable {
    /// By area if it shrinks, bilinear if it grows: no overshoot at edges.
    case area
    /// The Lanczos kernel with three lobes: sharper, with a slight overshoot at edges.
    case lanczos
}

/// The options of `work.image.resize`.
struct ResizeOptions: Codable {
    /// The name of the filter; `area` by default.
    var filter: String?

    func resizeFilter() throws -> ResizeFilter {
        guard let filter else { return .area }
        guard let known = ResizeFilter(rawValue: filter) else {
            throw ScriptError(
                .argument,
                "cannot resize by the filter '\(filter)'; the filters are 'area' and 'lanczos'"
            )
        }
        return known
    }
}

/// Scales a picture to a size, separately for each direction.
func resize(
    _ context: WorkContext,
    _ image: Image,
    _ width: Int,
    _ height: Int,
    _ filter: ResizeFilter = .area,
    on cores: PictureCores = .one
) throws -> Image {
    guard Image.sampleCount(width, height, image.channels) != nil else {
        throw ScriptError(
            .argument,
            "cannot resize to \(width) × \(height) pixels: sides of at least 1 "
                + "and at most \(Image.mostSamples) samples are possible"
        )
    }
    try Image.checkRoom(width, height, image.channels)
    try Image.checkRoom(image.width, image.height, image.channels)
    let image = try image.withShades()
    let across = AxisWeights(from: image.width, to: width, filter)
    let down = AxisWeights(from: image.height, to: height, filter)
    let samples = try Image.makeSamples(width * height * image.channels) { result in
        try cores.forEachBand(of: height, in: image, context) { rows in
            var band = ResizedRows(image, across, down)
            for row in rows { band.write(row, to: result) }
        }
    }
    return Image(
        width: width,
        height: height,
        channels: image.channels,
        maximum: image.maximum,
        samples: samples
    )
}

/// Rows of a scaled picture, each made from the old rows that it needs.
///
/// They are mixed first, which vector instructions do, and then narrowed or widened as one row.
private struct ResizedRows {
    private let image: Image
    private let across: AxisWeights
    private let down: AxisWeights
    /// The mixture of old rows.
    private var mixed: [Float]

    init(_ image: Image, _ across: AxisWeights, _ down: AxisWeights) {
        self.image = image
        self.across = across
        self.down = down
        mixed = [Float](repeating: 0, count: image.stride)
    }

    mutating func write(_ row: Int, to result: UnsafeMutableBufferPointer<UInt16>) {
        mix(row)
        let count = across.spans.count * image.channels
        let target = UnsafeMutableBufferPointer(rebasing: result[row * count..<(row + 1) * count])
        across.apply(to: mixed, channels: image.channels, highest: Float(image.maximum), target)
    }

    private mutating func mix(_ row: Int) {
        let first = down.spans[row].start
        mixed.withUnsafeMutableBufferPointer { mixed in
            image.samples.withUnsafeBufferPointer { samples in
                mixed.update(repeating: 0)
                for (offset, weight) in down.weights(of: row).enumerated() {
                    let start = (first + offset) * mixed.count
                    for index in 0..<mixed.count { mixed[index] += weight * Float(samples[start + index]) }
                }
            }
        }
    }
}

/// The old positions that contribute to each new one along one axis, with their weights; the weights of one
/// position add up to 1.
private struct AxisWeights {
    struct Span {
        /// The first old position.
        var start: Int
        /// The place of its weights.
        var weights: Range<Int>
    }

    private(set) var spans: [Span] = []
    private var weights: [Float] = []

    init(from old: Int, to new: Int, _ filter: ResizeFilter) {
        spans.reserveCapacity(new)
        let scale = Double(old) / Double(new)
        for position in 0..<new {
            let start = weights.count
            if filter == .lanczos {
                spans.append(Span(start: addLobes(position, old, scale), weights: start..<weights.count))
            } else if new <= old {
                // The part of each old pixel that lies under the new one.
                let left = Double(position) * scale
                let right = min(Double(old), left + scale)
                let first = min(old - 1, Int(left))
                let last = max(first, min(old - 1, Int(right.rounded(.up)) - 1))
                for index in first...last {
                    let covered = min(right, Double(index + 1)) - max(left, Double(index))
                    weights.append(Float(max(0, covered) / scale))
                }
                spans.append(Span(start: first, weights: start..<weights.count))
            } else {
                // Between the two old pixels whose centres are on either side; beyond the outermost centre,
                // the outermost pixel.
                let centre = (Double(position) + 0.5) * scale - 0.5
                let clamped = min(max(0, centre), Double(old - 1))
                let first = min(Int(clamped), max(0, old - 2))
                let part = Float(clamped - Double(first))
                weights.append(1 - part)
                if first + 1 < old { weights.append(part) }
                spans.append(Span(start: first, weights: start..<weights.count))
            }
        }
    }

    /// Adds the weights of the Lanczos kernel around the centre of a new position; wider if the picture shrinks.
    ///
    /// - Returns: The first old position.
    private mutating func addLobes(_ position: Int, _ old: Int, _ scale: Double) -> Int {
        let stretch = max(1, scale)
        let centre = (Double(position) + 0.5) * scale
        let first = max(0, Int((centre - 3 * stretch).rounded(.up)))
        let last = max(first, min(old - 1, Int((centre + 3 * stretch).rounded(.down))))
        let lobes = (first...min(last, old - 1)).map { index -> Double in
            let distance = (Double(index) + 0.5 - centre) / stretch * .pi
            if distance.magnitude >= 3 * .pi { return 0 }
            return distance == 0 ? 1 : 3 * sin(distance) * sin(distance / 3) / (distance * distance)
        }
        let sum = lobes.reduce(0, +)
        weights += lobes.map { Float($0 / sum) }
        return first
    }

    func weights(of position: Int) -> ArraySlice<Float> {
        weights[spans[position].weights]
    }

    /// Writes one row of samples at its new width.
    func apply(
        to row: [Float],
        channels: Int,
        highest: Float,
        _ result: UnsafeMutableBufferPointer<UInt16>
    ) {
        row.withUnsafeBufferPointer { row in
            weights.withUnsafeBufferPointer { weights in
                var to = 0
                for span in spans {
                    for channel in 0..<channels {
                        var sum: Float = 0
                        var place = span.start * channels + channel
                        for weight in span.weights {
                            sum += weights[weight] * row[place]
                            place += channels
                        }
                        // Rounded, since no sum is negative now; the conversion cuts the fraction off.
                        result[to] = UInt16(truncatingIfNeeded: Int32(min(highest, max(0, sum)) + 0.5))
                        to += 1
                    }
                }
            }
        }
    }
}
