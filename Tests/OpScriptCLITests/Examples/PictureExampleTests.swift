#if Pictures
import HTTPTestServer
import SystemPackage
import Testing

/// The examples on photographs.
@Suite struct PictureExampleTests {
    /// A folder with a photograph in three formats.
    private func photographs() async throws -> Scratch {
        let scratch = try Scratch()
        let original = SourceTree.examples.appending("hopper.ppm").string
        let run = try await CommandRun.command(
            "-e",
            """
            local hopper = work.image.read '\(original)'
            for _, name in ipairs { "a.jpg", "b.png", "c.webp" } do await(work.image.write(hopper, name)) end
            """,
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
        return scratch
    }

    /// The first bytes of each format.
    private static let beginnings = " ff d8 ff\n 89 50 4e\n 52 49 46\n"

    @Test func `a folder of photographs is filtered`() async throws {
        let scratch = try await photographs()
        let images = SourceTree.examples.appending("images.lua").string
        let run = try await CommandRun.command(images, ".", "out", folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text.hasPrefix("3 pictures of '.', filtered, go to 'out'\na.jpg: 256 x 300, 3 channels\n")
        )
        #expect(run.text.hasSuffix("3 of 3 written to 'out'\n"))
        let written = try await CommandRun.shell(
            "cd out && for f in a.jpg b.png c.webp; do od -An -tx1 -N3 $f; done",
            folder: scratch.path
        )
        #expect(written.text == Self.beginnings)
    }

    #if HTTP
    @Test func `photographs are downloaded, filtered and shown`() async throws {
        let scratch = try await photographs()
        let server = try HTTPTestServer(folder: scratch.path.string)
        defer { server.stop() }
        let names = ["a.jpg", "b.png", "c.webp"]
        let pipeline = SourceTree.examples.appending("image_pipeline.lua").string
        let run = try await CommandRun.command(
            pipeline,
            "out",
            server.url("/file/a.jpg"),
            server.url("/file/b.png"),
            server.url("/file/c.webp"),
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
        let lines = names.map { "\($0): 256 x 300, 3 channels, to 16 x 16, 1 channel\n" }
        #expect(run.text == lines.joined() + "3 of 3 written\n")
        let written = try await CommandRun.shell(
            "cd out && for f in a.jpg b.png c.webp; do od -An -tx1 -N3 $f; done",
            folder: scratch.path
        )
        #expect(written.text == Self.beginnings)
    }
    #endif
}
#endif
