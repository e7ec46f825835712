import Testing

/// Works in a process that gets little memory: a value that does not fit is a failure of the operation.
///
/// One after the other, because each takes a core and much memory for some seconds.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ScarceMemoryTests {
    /// Runs a script in a process that may have 400 MB of addresses.
    private func script(_ code: String, folder: Scratch) async throws -> CommandRun {
        let path = try folder.file(
            "job.lua",
            """
            local function refused(op)
                local ok, error = pawait(op)
                assert(not ok and error.code == "limit", tostring(error))
            end
            \(code)
            print(await(work.process.run { "echo", "continues" }).output)
            """
        )
        return try await CommandRun.shell(
            "ulimit -v 400000; exec \"$opscript\" -j 2 \(path)",
            folder: folder.path
        )
    }

    @Test(arguments: [
        #"refused(work.process.run { "yes", limit = 1 << 40 })"#,
        #"refused(work.process.shell("yes >&2", { limit = 1 << 40 }))"#,
        #"await(work.process.shell("truncate -s 3G large")) refused(work.file.read("large", { limit = 1 << 40 }))"#,
        #"refused(work.file.read("/dev/zero", { limit = 1 << 40 }))"#,
        #"await(work.process.shell("printf 'P5 60000 60000 255\n' >large; truncate -s 4G large")) "#
            + #"refused(work.image.read("large"))"#,
        #"local image = await(work.image.decode("P5 1 1 255\n\0")) refused(work.image.resize(image, 9000, 9000))"#,
        #"refused(work.json.decode("[" .. ("[],"):rep(6000000) .. "1]"))"#,
        #"refused(work.json.decode("[" .. ("{\"a\":1},"):rep(2500000) .. "1]"))"#,
        #"local x = isolate(function(n) return ("x"):rep(n) end) refused(x(90 << 20))"#,
        #"local ok, e = pcall(json.decode, "[" .. ("1,"):rep(6000000) .. "1]") assert(not ok and e.code == "limit")"#,
    ])
    func `a result that does not fit fails the operation, and the run continues`(_ code: String) async throws
    {
        let scratch = try Scratch()
        let run = try await script(code, folder: scratch)
        #expect(run.status == 0 && run.text == "continues\n\n", "\(run.end) \(run.errors)")
    }

    @Test(arguments: [
        "local s = ('x'):rep(30 << 20) work.json.encode({ s, s, s, s, s, s, s, s, s, s, s, s })",
        "local t = {} for i = 1, 200000 do t[i] = { i } end work.json.encode({ "
            + String(repeating: "t, ", count: 30) + "t })",
    ])
    func `an argument that does not fit is refused where it is given`(_ code: String) async throws {
        let scratch = try Scratch()
        let run = try await script(
            "local ok, e = pcall(function() \(code) end) assert(not ok and e.code == 'limit', tostring(e))",
            folder: scratch
        )
        #expect(run.status == 0 && run.text == "continues\n\n", "\(run.end) \(run.errors)")
    }

    @Test func `a script that is larger than the memory is refused`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            "truncate -s 3G large.lua; ulimit -v 400000; \"$opscript\" large.lua",
            folder: scratch.path
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot open 'large.lua'"), "\(run.errors)")
    }
}
