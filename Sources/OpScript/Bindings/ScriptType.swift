internal import LuaVM

/// The single description of how a Lua type looks to scripts.
///
/// It determines the metatable, the name of a value in messages, the suggestions for a wrong name, and which properties
/// are read-only. A new property is one ``Property`` in the list of its type; a new type is one more case of
/// ``ScriptTypeNumber``.
struct ScriptType: Sendable {
    /// The moment of an object's life up to which a property can be set. A later value would be ignored, so
    /// it is refused.
    enum Limit: String, Sendable {
        /// An operation is added to a queue, or started by hand.
        case added
        /// An operation or a thread starts.
        case started
        /// An operation finishes.
        case finished
        /// A timer is invalidated, a source is cancelled.
        case ended
    }

    /// A property of objects of one Swift type.
    struct Property<Object>: Sendable {
        typealias Getter = @Sendable (Object, ScriptRuntime, LuaState) throws(LuaRaise) -> Void
        typealias Setter = @Sendable (Object, NewValue) throws(LuaRaise) -> Void

        let key: StaticString
        var name: String { key.description }
        /// Pushes the value; the object is at index 1. [-0, +1, -]
        private(set) var get: Getter
        /// Nil if the property is read-only.
        let set: Setter?
        /// A hint in the message about a read-only property.
        let hint: String
        /// Whether scripts may observe it.
        private(set) var isObservable = false

        /// The moment until which it can be set; nil if it can always be set.
        private(set) var limit: Limit?

        /// The same property, which can be set up to a moment.
        func settable(until limit: Limit) -> Self {
            var property = self
            property.limit = limit
            return property
        }

        /// The same property, which scripts may observe.
        var observable: Self {
            var property = self
            property.isObservable = true
            return property
        }

        /// The same property, with another getter.
        func withGetter(_ get: @escaping Getter) -> Self {
            var property = self
            property.get = get
            return property
        }

        init(_ key: StaticString, hint: String = "", _ get: @escaping Getter, set: Setter? = nil) {
            self.key = key
            self.hint = hint
            self.get = get
            self.set = set
        }
    }

    /// A property without its Swift type: the object is looked up at index 1.
    struct Member: Sendable {
        let name: String
        let hint: String
        let isObservable: Bool
        let limit: Limit?
        let get: Access
        let set: Access?

        typealias Access = @Sendable (ScriptRuntime, LuaState) throws(LuaRaise) -> Void
    }

    let name: String
    /// The globals that make objects of the type.
    let constructors: [ScriptConstructor]
    /// The name of a value of the type in messages.
    let kind: String
    let isBox: Bool
    let members: [Member]
    let methods: [ScriptMethod]
    /// Names that `getOther` knows, for suggestions.
    let otherNames: [String]
    /// Pushes a member that is neither property nor method; returns the host function's reply, or nil if there is no
    /// such member.
    let getOther: @Sendable (ScriptRuntime, LuaState) throws(LuaRaise) -> Int32?
    /// Sets a member that is not a settable property; false if there is no such member.
    let setOther: @Sendable (ScriptRuntime, LuaState) throws(LuaRaise) -> Bool
    /// The name of the type of the object at index 1, in messages.
    let nameOfObject: @Sendable (ScriptRuntime, LuaState) -> String
    /// The result of `tostring` for the object at index 1.
    let text: @Sendable (ScriptRuntime, LuaState) -> String
    let getter: LuaAccessor
    let setter: LuaAccessor

    /// - Parameters:
    ///   - require: Returns the object at an index; throws if there is a value of another type.
    ///   - tooLate: If a moment of the object's life has passed, returns which properties cannot change any
    ///     more and why: the rest of the sentence that begins with `'timeout' of `.
    ///   - getter: Reads a property by its number, if a type has a fast path for some properties.
    init<Object>(
        _ name: String,
        kind: String,
        constructors: [ScriptConstructor],
        isBox: Bool = true,
        require: @escaping @Sendable (ScriptRuntime, LuaState, Int32) throws(LuaRaise) -> Object,
        properties: [Property<Object>],
        methods: [ScriptMethod],
        tooLate: @escaping @Sendable (Object, Limit, ScriptRuntime) -> String? = { _, _, _ in nil },
        otherNames: [String] = [],
        getOther: @escaping @Sendable (ScriptRuntime, LuaState) throws(LuaRaise) -> Int32? = { _, _ in nil },
        setOther: @escaping @Sendable (ScriptRuntime, LuaState) throws(LuaRaise) -> Bool = { _, _ in false },
        nameOfObject: (@Sendable (Object) -> String)? = nil,
        getter: @escaping LuaAccessor = getProperty,
        setter: @escaping LuaAccessor = setProperty,
        text: @escaping @Sendable (Object, ScriptRuntime, LuaState) -> String
    ) {
        self.name = name
        self.kind = kind
        self.constructors = constructors
        self.isBox = isBox
        self.methods = methods
        self.otherNames = otherNames
        self.getOther = getOther
        self.setOther = setOther
        self.getter = getter
        self.setter = setter
        members = properties.map { property in
            let get: Member.Access = { (runtime, state) throws(LuaRaise) in
                try property.get(try require(runtime, state, 1), runtime, state)
            }
            let set: Member.Access = { (runtime, state) throws(LuaRaise) in
                let object = try require(runtime, state, 1)
                if let limit = property.limit, let reason = tooLate(object, limit, runtime) {
                    throw .misuse("'\(property.name)' of \(reason)")
                }
                try property.set?(object, NewValue(runtime, state, for: property.key, of: 1, at: 3))
            }
            return Member(
                name: property.name,
                hint: property.hint,
                isObservable: property.isObservable,
                limit: property.limit,
                get: get,
                set: property.set == nil ? nil : set
            )
        }
        self.nameOfObject = { runtime, state in
            guard let nameOfObject, let object = try? require(runtime, state, 1) else { return name }
            return nameOfObject(object)
        }
        self.text = { runtime, state in
            guard let object = try? require(runtime, state, 1) else { return name }
            return text(object, runtime, state)
        }
    }

    /// The names that a script may read.
    var readableNames: [String] { members.map(\.name) + methods.map(\.name.description) + otherNames }

    /// The names that a script may set.
    var settableNames: [String] { members.filter { $0.set != nil }.map(\.name) }

    /// The keys that `observe` takes.
    var observableKeys: [String] { members.filter(\.isObservable).map(\.name) + ["*"] }

    func member(named name: String) -> Member? { members.first { $0.name == name } }

    /// Makes the metatable of the type with a number.
    func makeMetatable(_ vm: LuaVM, _ number: ScriptTypeNumber) -> LuaMetatable {
        let state = vm.main
        // Much larger than needed for those that are used most: then Lua usually finds `__index` in the first
        // slot that it probes.
        let isUsedMost = number == .operation || number == .queue
        state.newTable(fields: isUsedMost ? 64 : 8)
        state.setFunctions([("__tostring", describeObject)])
        state.newTable(fields: members.count + methods.count)
        state.setMethods(methods, areMethods: true)
        pushNumbers(state, number) { _ in true }
        state.pushIndex(getter: getter, fallback: getMissing)
        state.rawSet(-2, "__index")
        state.newTable(fields: members.count)
        pushNumbers(state, number) { $0.set != nil }
        state.pushNewIndex(setter: setter, fallback: setMissing)
        state.rawSet(-2, "__newindex")
        return LuaMetatable(state, name: name, isBox: isBox)
    }

    /// Puts names of properties with their numbers into the table on top.
    private func pushNumbers(_ state: LuaState, _ number: ScriptTypeNumber, _ isMeant: (Member) -> Bool) {
        for (place, member) in members.enumerated() where isMeant(member) {
            state.push(number.rawValue << 8 | place)
            state.rawSet(-2, member.name)
        }
    }

    /// All types, by their numbers.
    static let all = ScriptTypeNumber.allCases.map(\.type)

    /// The property with a number, as used in the metatables.
    @inline(__always)
    static func member(_ number: Int32) -> Member { all[Int(number >> 8)].members[Int(number & 0xff)] }
}

/// The types that scripts see, by the numbers under which their metatables know them.
enum ScriptTypeNumber: Int, CaseIterable {
    case operation, queue, timer, source, progress, thread
    case dispatchQueue, dispatchGroup, dispatchSemaphore, dispatchWorkItem

    var type: ScriptType {
        switch self {
        case .operation: OperationBinding.type
        case .queue: QueueBinding.type
        case .timer: TimerBinding.type
        case .source: SourceBinding.type
        case .progress: ProgressBinding.type
        case .thread: ThreadBinding.type
        case .dispatchQueue: DispatchQueueBinding.type
        case .dispatchGroup: DispatchGroupBinding.type
        case .dispatchSemaphore: DispatchSemaphoreBinding.type
        case .dispatchWorkItem: DispatchWorkItemBinding.type
        }
    }
}

// MARK: Functions that Lua calls

/// Reads a property. [-0, +1, -]
func getProperty(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try ScriptType.member(number).get(runtime, state)
        return 1
    }
}

/// Sets a property to the value at index 3. [-0, +0, -]
func setProperty(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let set = ScriptType.member(number).set else { return 0 }
        try set(runtime, state)
        return 0
    }
}

private func getMissing(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let type = try runtime.scriptType(state)
        if let reply = try type.getOther(runtime, state) { return reply }
        throw runtime.operations.noSuchProperty(
            state,
            of: type.nameOfObject(runtime, state),
            among: type.readableNames
        )
    }
}

private func setMissing(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let type = try runtime.scriptType(state)
        if try type.setOther(runtime, state) { return 0 }
        let name = type.nameOfObject(runtime, state)
        if let member = state.string(2).flatMap(type.member(named:)) {
            throw .misuse("'\(member.name)' of \(name) can only be read\(member.hint)")
        }
        throw runtime.operations.noSuchProperty(state, of: name, among: type.settableNames)
    }
}

private func describeObject(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let text = try runtime.scriptType(state).text(runtime, state)
        state.push(runtime.link.secrets.hidden(in: text))
        return 1
    }
}

extension ScriptRuntime {
    /// The type of the object at index 1.
    fileprivate func scriptType(_ state: LuaState) throws(LuaRaise) -> ScriptType {
        if let number = metatables.type(of: 1, state) { return ScriptType.all[number.rawValue] }
        throw LuaRaise(argument: 1, "object expected, got \(operations.kindName(state, 1))")
    }
}
