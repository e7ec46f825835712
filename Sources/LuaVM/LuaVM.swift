public import CLua

/// A Lua universe: one main stack, its coroutines, its memory.
///
/// Knows nothing of threads: all calls come from one thread at a time, except `LuaReference`'s deinit (any thread) and
/// `interrupt` (a signal handler on that thread). It is closed when it is released, which also releases the Swift
/// values that Lua held.
public final class LuaVM {
    @usableFromInline let context: UnsafeMutablePointer<clua_context>
    let references = ReferencePool()
    let configuration: LuaConfiguration
    private var warningText = ""
    private var boxOfSwiftErrors: LuaMetatable?

    /// Whether it has been closed; nothing may be called after that.
    public private(set) var isClosed = false

    /// The main stack; waits are impossible on it.
    public let main: LuaState

    /// Makes error values for Swift errors (pushes one value); without it they are carried in a plain box.
    public var errorPusher: ((LuaState, any Error) -> Void)?
    /// Reads the Swift error in the host's own error values.
    public var errorReader: ((LuaState, Int32) -> (any Error)?)?
    /// Pushes the error value for a limit that was hit. If this is nil, the error is a string.
    public var limitPusher: ((LuaState, LuaLimit) -> Void)?
    /// Takes a whole line of `print`, with its newline. If this is nil, `print` writes to standard output.
    public var printer: ((UnsafeRawBufferPointer) -> Void)? {
        didSet { context.pointee.print = printer == nil ? nil : takePrint }
    }
    /// Called before a script collects garbage by `collectgarbage`.
    public var beforeCollection: (() -> Void)?
    /// Takes a whole warning of `warn`; control messages (`@on`, `@off`) are handled already.
    public var warner: ((String) -> Void)?
    /// Pushes the text of an error object (at the index) whose first user value is not a string.
    public var errorTextPusher: ((LuaState, Int32) -> Void)?

    /// Opens a universe with its libraries.
    public init(_ configuration: LuaConfiguration = LuaConfiguration()) {
        guard let context = clua_open(configuration.isReproducible ? 1 : 0), let raw = context.pointee.main
        else {
            preconditionFailure("no memory for a Lua state")
        }
        self.context = context
        self.configuration = configuration
        main = LuaState(raw)
        context.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.release = releaseBox
        context.pointee.push_limit = pushLimit
        context.pointee.warn = takeWarning
        context.pointee.push_error_text = pushErrorText
        context.pointee.before_collection = collectionBegins
        if configuration.handles != nil {
            context.pointee.has_room = hasRoom
            context.pointee.handle_opened = handleOpened
            context.pointee.handle_closed = handleClosed
        }
        context.pointee.refuses_finalizers = configuration.refusesFinalizers ? 1 : 0
        context.pointee.bounds_patterns = configuration.boundsPatterns ? 1 : 0
        context.pointee.loads_binary = configuration.loadsBinaryChunks ? 1 : 0
        context.pointee.ignores_environment = configuration.ignoresEnvironment ? 1 : 0
        if clua_open_libraries(raw, configuration.libraries.rawValue, configuration.extent) != LUA_OK {
            preconditionFailure("Lua's libraries cannot be opened: \(main.string(-1) ?? "?")")
        }
        boxOfSwiftErrors = LuaMetatable(self, name: "error", functions: [("__tostring", describeSwiftError)])
        context.pointee.error_metatable = swiftErrorMetatable.identity
        if configuration.isHostile { clua_set_hostile(context, 1) }
        setMemoryLimit(configuration.memoryLimit)
        setInstructionLimit(configuration.instructionLimit)
    }

    deinit { close() }

    /// The release of Lua, and its copyright, as `lua -v` prints them.
    public static var copyright: String { String(cString: clua_copyright()) }

    /// Closes it now: runs finalizers, releases boxed objects, frees all memory.
    ///
    /// References become invalid.
    public func close() {
        guard !isClosed else { return }
        precondition(context.pointee.running == nil, "a Lua state cannot be closed while it runs")
        isClosed = true
        references.close()
        clua_close(context)
    }

    static func of(_ state: LuaState) -> LuaVM {
        guard let owner = clua_of(state.raw).pointee.owner else {
            preconditionFailure("a Lua state without its LuaVM")
        }
        return Unmanaged<LuaVM>.fromOpaque(owner).takeUnretainedValue()
    }

    /// One word for the host, found from every stack by `LuaState.host`.
    public var host: UnsafeMutableRawPointer? {
        get { context.pointee.host }
        set { context.pointee.host = newValue }
    }

    /// The metatable of boxed Swift errors: it has `__tostring`, and more fields can be added.
    public var swiftErrorMetatable: LuaMetatable {
        guard let boxOfSwiftErrors else { preconditionFailure("used before the LuaVM was made") }
        return boxOfSwiftErrors
    }

    /// Determines which values are error objects: string functions take their text, which is their first user
    /// value.
    ///
    /// If unset: boxed Swift errors.
    public var errorObjectMetatable: LuaMetatable? {
        didSet { context.pointee.error_metatable = (errorObjectMetatable ?? swiftErrorMetatable).identity }
    }

    // MARK: chunks

    /// Pushes the function that source text compiles to. [-0, +1, -]
    ///
    /// A byte order mark and a first line that starts with `#` are skipped; lines keep their numbers. Binary chunks are
    /// refused, unless the configuration allows them.
    /// - Parameter name: In Lua's form: `@job.lua` for a file, `=name` for anything else, or the source
    ///   itself.
    public func load(_ source: [UInt8], name: String, into state: LuaState? = nil) throws(LuaError) {
        try load(source, name: Array(name.utf8), into: state)
    }

    /// The same for a name that need not be UTF-8.
    public func load(_ source: [UInt8], name: [UInt8], into state: LuaState? = nil) throws(LuaError) {
        let state = state ?? main
        let name = name.map { CChar(bitPattern: $0) } + [0]
        let status = source.withUnsafeBytes {
            clua_load(state.raw, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, name)
        }
        try state.check(status)
    }

    /// Pushes the function that source text compiles to. [-0, +1, -]
    public func load(_ source: String, name: String, into state: LuaState? = nil) throws(LuaError) {
        try load(Array(source.utf8), name: name, into: state)
    }

    // MARK: references

    /// Anchors the value on top. [-1, +0, m]
    public func makeReference(_ state: LuaState) -> LuaReference {
        drainReleases()
        return LuaReference(slot: clua_make_reference(state.raw), pool: references)
    }

    /// Whether references may have been dropped; from any thread.
    public var mayHaveDropped: Bool { references.mayHaveDropped }

    /// Frees the values that dropped references held.
    ///
    /// Cheap when there is nothing to free; call it once per turn.
    public func drainReleases() {
        guard references.mayHaveDropped else { return }
        for slot in references.takeDropped() { clua_drop_reference(main.raw, slot) }
    }

    // MARK: memory

    /// Bytes in use, by Lua and by the objects in its boxes.
    public var memoryInUse: Int { context.pointee.used }
    /// The bytes among them that objects in boxes hold outside of Lua.
    public var nativeMemoryInUse: Int { context.pointee.native }
    /// The most bytes that ever were in use.
    public var peakMemory: Int { context.pointee.peak }

    /// Limits the memory of scripts; 0 removes the limit.
    public func setMemoryLimit(_ bytes: Int) {
        let (more, overflow) = bytes.addingReportingOverflow(bytes / 8)
        clua_set_memory_limit(context, max(0, bytes), bytes > 0 ? overflow ? .max : more : 0)
    }

    /// Called when the limit of memory is met, with the number of missing bytes; returns by how many bytes
    /// the limit grows.
    ///
    /// Called in the middle of an allocation, so it must not use the state. nil: the limit does not grow.
    public var moreMemory: ((_ wanted: Int) -> Int)? {
        didSet {
            if moreMemory == nil {
                context.pointee.more_memory = nil
            } else {
                context.pointee.more_memory = growLimit
            }
        }
    }

    /// Limits the instructions of a slice between two waits; 0 removes the limit.
    public func setInstructionLimit(_ count: Int) { clua_set_instruction_limit(context, Int64(count)) }

    /// Collects all garbage; finalizers run.
    public func collectGarbage() { clua_collect(main.raw) }

    /// Whether a finalizer (`__gc`) runs, which the collector may call during any call that creates an
    /// object. Available from Lua 5.4.4 on; always false before.
    public var isFinalizing: Bool { clua_is_finalizing(main.raw) != 0 }

    /// A finalizer that is set anew in each cycle of the collector was called. Roots that were dropped before
    /// the cycle are now gone.
    public func cycleEnded() { clua_cycle_ended(context) }

    // MARK: running

    /// The stack that runs now; nil outside of Lua.
    public var running: LuaState? { context.pointee.running.map(LuaState.init) }

    /// Whether a stack runs, or has resumed the one that runs. The stack is given by its address, because it may no
    /// longer exist.
    public func isActive(_ raw: OpaquePointer) -> Bool { clua_is_active(context, raw) != 0 }

    /// Makes errors pass through `pcall`, `xpcall`, `resume` and `wrap` of scripts.
    ///
    /// The host saves and restores it per root.
    @inlinable public var isTerminating: Bool {
        get { context.pointee.terminating != 0 }
        set { context.pointee.terminating = newValue ? 1 : 0 }
    }

    /// Whether an error is unwinding the stack, so that close variables run. The host saves and restores it
    /// per root.
    @inlinable public var isUnwinding: Bool {
        get { context.pointee.unwinding != 0 }
        set { context.pointee.unwinding = newValue ? 1 : 0 }
    }

    /// Stops the running code with a limit error that scripts cannot catch.
    ///
    /// Returns false when no code runs. On the thread of the machine only; a signal handler on that thread
    /// uses `interrupt(_:)` with `interruptionHandle`.
    @discardableResult
    public func interrupt(_ limit: LuaLimit = .time) -> Bool { clua_interrupt(context, limit.rawValue) != 0 }

    /// The same for the code that runs next. On the thread of the machine only.
    public func interruptNext(_ limit: LuaLimit = .time) { clua_interrupt_next(context, limit.rawValue) }

    /// Ends the running code without its close variables: from here on, each of them raises an error at its first
    /// instruction, until no code runs. The caller raises an error that scripts cannot catch.
    public func leave() { clua_leave(context) }

    /// The argument of `LuaVM.interrupt(_:_:)` for a signal handler; valid until the machine is closed.
    public var interruptionHandle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(context) }

    /// Stops the running code, from a signal handler on the thread of the machine; touches no Swift object.
    @discardableResult
    public static func interrupt(_ handle: UnsafeMutableRawPointer, _ limit: Int32) -> Bool {
        clua_interrupt(handle.assumingMemoryBound(to: clua_context.self), limit) != 0
    }

    // MARK: frames and places

    /// The frames of the error caught last, the innermost first; forgets them.
    public func takeFrames() -> [LuaFrame] {
        let count = Int(context.pointee.frame_count)
        context.pointee.frame_count = 0
        guard count > 0, let frames = context.pointee.frames else { return [] }
        return (0..<count).map { LuaFrame(frames + $0) }
    }

    /// The frames that were recorded last, which stay.
    public var recordedFrames: [LuaFrame] {
        guard let frames = context.pointee.frames else { return [] }
        return (0..<Int(context.pointee.frame_count)).map { LuaFrame(frames + $0) }
    }

    /// The frames of a stack as it is now, from a level on.
    public func currentFrames(_ state: LuaState, level: Int32 = 0) -> [LuaFrame] {
        clua_record_frames(state.raw, level)
        return takeFrames()
    }

    /// The name of a chunk as messages show it.
    public func sourceName(_ source: Int32) -> String { String(cString: clua_source_name(context, source)) }

    /// A place as text: `job.lua:7`, or nil when it is unknown.
    public func describe(_ place: LuaPlace) -> String? {
        place.source > 0 ? "\(sourceName(place.source)):\(place.line)" : nil
    }

    // MARK: warnings

    /// Whether `warn` reaches `warner`; scripts switch it by `warn("@on")` and `warn("@off")`.
    public var warningsEnabled: Bool {
        get { context.pointee.warnings != 0 }
        set { context.pointee.warnings = newValue ? 1 : 0 }
    }

    func warn(_ piece: String, continues: Bool) {
        if warningText.isEmpty, !continues, piece.hasPrefix("@") {
            if piece == "@on" { warningsEnabled = true }
            if piece == "@off" { warningsEnabled = false }
            return
        }
        warningText += piece
        guard !continues else { return }
        let text = warningText
        warningText = ""
        if warningsEnabled { warner?(text) }
    }
}
