public import OpScript
internal import Scheduling
internal import SystemPackage

extension ScriptEngine {
    /// Registers `work.image`: reading, changing and writing pictures.
    public func registerImageWorks() {
        let cores = PictureCores(limit: min(SystemThread.coreCount, jobLimit ?? .max))
        registerImageCoding(cores)
        registerImageFilters(cores)
        register(
            "image.preview",
            "An image as text for a terminal. Options: columns (40), colours (false).",
            parameters: ["image", "options"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, options: PreviewOptions?) throws -> String in
            try cores.use { try preview(context, image, options) }
        }
    }

    private func registerImageCoding(_ cores: PictureCores) {
        register(
            "image.read",
            "Reads an image: JPEG, PNG, WebP, the first frame of a GIF, PBM, PGM, PPM or PAM.",
            parameters: ["path"],
            recording: .never
        ) { (context: WorkContext, path: FilePath) throws -> Image in
            try cores.use { try readImage(context, path) }
        }
        register(
            "image.decode",
            "An image from the bytes of a file that image.read reads.",
            parameters: ["data"],
            onVirtualTime: .instant
        ) { (context: WorkContext, data: ScriptData) throws -> Image in
            do {
                return try cores.use { try decodeImage(context, data.bytes) }
            } catch let fault as ImageFault {
                throw ScriptError(
                    fault.code,
                    "cannot decode an image of \(data.bytes.count) bytes: \(fault.reason)"
                )
            }
        }
        register(
            "image.encode",
            "The bytes of an image as jpeg, png, webp, pbm, pgm, ppm or pam. Options: quality (85), lossless (WebP).",
            parameters: ["image", "format", "options"],
            onVirtualTime: .instant
        ) {
            (context: WorkContext, image: Image, name: String, options: EncodingOptions?) throws -> ScriptData
            in
            guard let format = ImageFormat(name) else {
                throw ScriptError(
                    .argument,
                    "cannot encode an image as '\(name)'; the formats are "
                        + "'jpeg', 'png', 'webp', 'pbm', 'pgm', 'ppm' and 'pam'"
                )
            }
            do {
                return ScriptData(try cores.use { try format.encode(image, options, context) })
            } catch let fault as ImageFault {
                throw ScriptError(fault.code, "cannot encode an image as '\(name)': \(fault.reason)")
            }
        }
        register(
            "image.write",
            "Writes an image as .jpg, .png, .webp, .pbm, .pgm, .ppm or .pam, and returns the path. "
                + "Options: quality (85), lossless (WebP).",
            parameters: ["image", "path", "options"]
        ) {
            (context: WorkContext, image: Image, path: FilePath, options: EncodingOptions?) throws -> FilePath
            in
            try cores.use { try writeImage(context, image, path, options) }
        }
    }

    private func registerImageFilters(_ cores: PictureCores) {
        register("image.mono", "The brightness of an image.", parameters: ["image"], onVirtualTime: .instant)
        {
            (context: WorkContext, image: Image) throws -> Image in
            try cores.use { try mono(context, image, on: cores) }
        }
        register("image.sepia", "An image in brown tones.", parameters: ["image"], onVirtualTime: .instant) {
            (context: WorkContext, image: Image) throws -> Image in
            try cores.use { try sepia(context, image, on: cores) }
        }
        register(
            "image.rotate",
            "An image turned clockwise, by a multiple of 90 degrees.",
            parameters: ["image", "degrees"],
            onVirtualTime: .instant
        ) { (image: Image, degrees: Int) throws -> Image in
            try cores.use { try rotate(image, degrees) }
        }
        register(
            "image.crop",
            "A part of an image; the place of its first pixel is counted from 0.",
            parameters: ["image", "x", "y", "width", "height"],
            onVirtualTime: .instant
        ) { (image: Image, column: Int, row: Int, width: Int, height: Int) throws -> Image in
            try cores.use { try crop(image, column, row, width, height) }
        }
        register(
            "image.resize",
            "Scales an image. Options: filter (area, or lanczos, which is sharper).",
            parameters: ["image", "width", "height", "options"],
            onVirtualTime: .instant
        ) {
            (context: WorkContext, image: Image, width: Int, height: Int, options: ResizeOptions?) throws
                -> Image
            in
            let filter = try options?.resizeFilter() ?? .area
            return try cores.use { try resize(context, image, width, height, filter, on: cores) }
        }
        register(
            "image.blur",
            "Blurs an image.",
            parameters: ["image", "radius"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, radius: Int) throws -> Image in
            try cores.use { try blur(context, image, radius, on: cores) }
        }
    }
}
