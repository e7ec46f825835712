internal import OpScript

/// The brown tones of an old photograph; opacity stays.
///
/// The weights are those of the filter function `sepia` of the Filter Effects of CSS, at full strength.
func sepia(_ context: WorkContext, _ image: Image, on cores: PictureCores = .one) throws -> Image {
    let hasOpacity = image.channels.isMultiple(of: 2)
    let image = try image.converted(channels: hasOpacity ? 4 : 3, maximum: max(255, image.maximum))
    try Image.checkRoom(image.width, image.height, image.channels)
    let channels = image.channels
    let highest = UInt32(image.maximum)
    let samples = try Image.makeSamples(image.samples.count) { result in
        try image.samples.withUnsafeBufferPointer { samples in
            try cores.forEachBand(of: image.height, in: image, context) { rows in
                for pixel in rows.lowerBound * image.width..<rows.upperBound * image.width {
                    let from = pixel * channels
                    let (red, green, blue) = (
                        UInt32(samples[from]), UInt32(samples[from + 1]), UInt32(samples[from + 2])
                    )
                    // In thousandths.
                    result[from] = UInt16(min(highest, (393 * red + 769 * green + 189 * blue + 500) / 1000))
                    result[from + 1] = UInt16(
                        min(highest, (349 * red + 686 * green + 168 * blue + 500) / 1000)
                    )
                    result[from + 2] = UInt16(
                        min(highest, (272 * red + 534 * green + 131 * blue + 500) / 1000)
                    )
                    if hasOpacity { result[from + 3] = samples[from + 3] }
                }
            }
        }
    }
    return Image(
        width: image.width,
        height: image.height,
        channels: channels,
        maximum: image.maximum,
        samples: samples
    )
}
