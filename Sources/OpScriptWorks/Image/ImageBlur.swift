internal import OpScript

/// Blurs a picture by three box filters of the same radius.
///
/// They approximate a Gaussian whose standard deviation is that radius. Beyond its edges, the picture is
/// continued with the pixels of the edge.
///
/// - Complexity: O(*pixels*), independent of the radius.
func blur(_ context: WorkContext, _ image: Image, _ radius: Int, on cores: PictureCores = .one) throws
    -> Image
{
    guard radius >= 0 else {
        throw ScriptError(
            .argument,
            "cannot blur by a radius of \(radius): an integer of at least 0 expected"
        )
    }
    guard radius > 0 else { return image }
    // Two more pictures, and one with shades.
    try Image.checkRoom(image.width, image.height, 2 * image.channels)
    let image = try image.withShades()
    // A box that is wider than the picture on both sides already contains the whole picture.
    let radius = min(radius, max(image.width, image.height))
    var samples = image.samples
    var buffer = samples
    let box = Box(image, radius)
    for _ in 0..<3 {
        try samples.withUnsafeBufferPointer { source in
            try buffer.withUnsafeMutableBufferPointer { target in
                let target = target
                try cores.forEachBand(of: image.height, in: image, passes: 6, context) { rows in
                    for row in rows { box.blurRow(row, from: source, into: target) }
                }
            }
        }
        try buffer.withUnsafeBufferPointer { source in
            try samples.withUnsafeMutableBufferPointer { target in
                let target = target
                try cores.forEachBand(of: image.stride, atLeast: 512, in: image, passes: 6, context) {
                    columns in
                    box.blurColumns(columns, from: source, into: target)
                }
            }
        }
    }
    return Image(
        width: image.width,
        height: image.height,
        channels: image.channels,
        maximum: image.maximum,
        samples: samples
    )
}

/// A box that slides over a picture: at each step one sample enters, and one leaves.
private struct Box {
    private let radius: Int
    private let width: Int
    private let height: Int
    private let channels: Int
    /// Half a box, so that means are rounded.
    private let half: UInt64
    /// The samples of a box.
    private let count: UInt64

    init(_ image: Image, _ radius: Int) {
        self.radius = radius
        (width, height, channels) = (image.width, image.height, image.channels)
        count = UInt64(2 * radius + 1)
        half = count / 2
    }

    /// The mean of a sum, rounded.
    private func mean(_ sum: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: sum / count) }

    func blurRow(
        _ row: Int,
        from source: UnsafeBufferPointer<UInt16>,
        into target: UnsafeMutableBufferPointer<UInt16>
    ) {
        let last = width - 1
        for channel in 0..<channels {
            let start = row * width * channels + channel
            func sample(_ column: Int) -> UInt64 {
                UInt64(source[start + min(max(0, column), last) * channels])
            }
            var sum = (-radius...radius).reduce(half) { $0 + sample($1) }
            for column in 0...last {
                target[start + column * channels] = mean(sum)
                sum += sample(column + radius + 1)
                sum -= sample(column - radius)
            }
        }
    }

    /// Down some columns, with the boxes of all of them at once, so that memory is read in its order.
    func blurColumns(
        _ columns: Range<Int>,
        from source: UnsafeBufferPointer<UInt16>,
        into target: UnsafeMutableBufferPointer<UInt16>
    ) {
        let stride = width * channels
        let first = columns.lowerBound
        func start(_ row: Int) -> Int { min(max(0, row), height - 1) * stride + first }
        var sums = [UInt64](repeating: half, count: columns.count)
        sums.withUnsafeMutableBufferPointer { sums in
            for row in -radius...radius {
                let from = start(row)
                for index in sums.indices { sums[index] += UInt64(source[from + index]) }
            }
            for row in 0..<height {
                let (to, coming, going) = (start(row), start(row + radius + 1), start(row - radius))
                for index in sums.indices {
                    target[to + index] = mean(sums[index])
                    sums[index] += UInt64(source[coming + index])
                    sums[index] -= UInt64(source[going + index])
                }
            }
        }
    }
}
