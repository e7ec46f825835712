internal import OpScript

/// The brightness of a picture, by the weights of Recommendation ITU-R BT.601; opacity stays.
///
/// A picture without colours is returned unchanged.
func mono(_ context: WorkContext, _ image: Image, on cores: PictureCores = .one) throws -> Image {
    guard image.channels >= 3 else { return image }
    let channels = image.channels - 2
    try Image.checkRoom(image.width, image.height, channels)
    let samples = try Image.makeSamples(image.width * image.height * channels) { result in
        try image.samples.withUnsafeBufferPointer { samples in
            try cores.forEachBand(of: image.height, in: image, context) { rows in
                for pixel in rows.lowerBound * image.width..<rows.upperBound * image.width {
                    let from = pixel * image.channels
                    // Weights in 65536ths; they add up to 1, so white stays white.
                    let red = 19595 * UInt64(samples[from])
                    let green = 38470 * UInt64(samples[from + 1])
                    let blue = 7471 * UInt64(samples[from + 2])
                    result[pixel * channels] = UInt16((red + green + blue + 32768) >> 16)
                    if channels == 2 { result[pixel * 2 + 1] = samples[from + 3] }
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
