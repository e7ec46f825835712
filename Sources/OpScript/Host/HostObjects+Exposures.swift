internal import LuaVM

extension HostObjects {
    /// Brings the types and functions that the host has registered since the last call into the Lua state.
    func installExposures() {
        installFunctions()
        guard exposures.count < runtime.works.catalogue.exposedTypeCount else { return }
        for type in runtime.works.catalogue.exposedTypes.dropFirst(exposures.count) { install(type) }
        exposuresByType = [:]
    }

    private func install(_ type: ExposedType) {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        let number = exposures.count
        var properties: [(name: String, get: ExposedType.Call, set: ExposedType.Setter?)] = []
        var methods: [(name: String, method: ExposedType.Method)] = []
        state.newTable(fields: type.members.count)
        for (name, member) in type.members.sorted(by: { $0.key < $1.key }) {
            switch member {
            case .property(let get, let set):
                state.push(properties.count)
                properties.append((name, get, set))
            case .method(let method):
                state.push(number << 16 | methods.count)
                state.push(objectMethod, upvalues: 1)
                methods.append((name, method))
            case .asyncMethod(let definition):
                guard let index = runtime.works.catalogue.index(of: definition) else { continue }
                state.push(number << 16 | index)
                state.push(objectAsyncMethod, upvalues: 1)
            }
            state.rawSet(-2, name)
        }
        let functions = type.functions.sorted { $0.key < $1.key }
        exposures.append(
            Exposure(
                type,
                members: vm.makeReference(state),
                properties: properties,
                methods: methods,
                functions: functions.map { ("\(type.name).\($0.key)", $0.value) }
            )
        )
        publish(type, number, functions.map(\.key), state)
    }

    /// Puts the type where scripts find it: a table that can be called.
    private func publish(_ type: ExposedType, _ number: Int, _ functions: [String], _ state: LuaState) {
        guard let typesTable = runtime.globals.typesTable else { return }
        typesTable.push(state)
        let isTaken = state.rawGet(-1, type.name) != .nil
        state.getGlobal(type.name)
        if isTaken || configuration.installsGlobals && !state.isNil(-1) {
            return runtime.works.catalogue.note(
                ScriptError(.misuse, "the type '\(type.name)' would hide an existing global of that name")
            )
        }
        state.pop(2)
        state.newTable(fields: functions.count)
        for (place, name) in functions.enumerated() {
            state.push(number << 16 | place)
            state.push(exposedFunction, upvalues: 1)
            state.rawSet(-2, name)
        }
        state.newTable(fields: 4)
        state.push(number)
        state.push(exposedInitializer, upvalues: 1)
        state.rawSet(-2, "__call")
        for key in ["__name", "__metatable"] as [StaticString] {
            state.push(type.name)
            state.rawSet(-2, key)
        }
        state.push(type.name)
        state.push(constructorToString, upvalues: 1)
        state.rawSet(-2, "__tostring")
        state.setMetatable(-2)
        state.pushValue(-1)
        state.rawSet(-3, type.name)
        if configuration.installsGlobals { state.setGlobal(type.name) }
    }

    /// The members of an object that scripts may use: the exposure of its own type, or else of a type that it
    /// is an instance of.
    /// is an instance of.
    func exposure(of instance: AnyObject) -> Exposure? {
        installExposures()
        if exposures.isEmpty { return nil }
        let identity = ObjectIdentifier(type(of: instance))
        if let known = exposuresByType[identity] { return known }
        let found =
            exposures.first { $0.type.identity == identity }
            ?? exposures.last { $0.type.isInstance(instance) }
        exposuresByType[identity] = .some(found)
        return found
    }
}
