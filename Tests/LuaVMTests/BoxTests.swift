import Synchronization
import Testing

@testable import LuaVM

private final class Counter: Sendable {
    let count = Atomic(0)
}

private class Animal {
    let counter: Counter
    var legs = 4

    init(_ counter: Counter) {
        self.counter = counter
        counter.count.add(1, ordering: .relaxed)
    }

    deinit { counter.count.subtract(1, ordering: .relaxed) }
}

private final class Bird: Animal {}

@Suite struct BoxTests {
    private let counter = Counter()

    @Test func `a box keeps its object until it is collected`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Animal")
        for _ in 0..<100 { host.main.pushBox(Animal(counter), metatable); host.main.pop() }
        host.main.pushBox(Animal(counter), metatable)
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(counter.count.load(ordering: .relaxed) == 1)
        #expect(host.main.box(1, metatable, as: Animal.self)?.legs == 4)
        host.vm.close()
        #expect(counter.count.load(ordering: .relaxed) == 0)
    }

    @Test func `bytes that objects hold outside of Lua drive the collector, and are counted`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Animal")
        let before = host.vm.memoryInUse
        let weight = 1 << 20
        var most = 0
        for _ in 0..<200 {
            host.main.pushBox(Animal(counter), metatable, weight: weight)
            host.main.pop()
            most = max(most, host.vm.nativeMemoryInUse)
        }
        #expect(most >= weight && most <= 20 * weight, "\(most / weight) of 200")
        #expect(counter.count.load(ordering: .relaxed) * weight == host.vm.nativeMemoryInUse)
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(host.vm.nativeMemoryInUse == 0 && host.vm.memoryInUse < before + weight)
        // Without a weight, nothing is counted.
        host.main.pushBox(Animal(counter), metatable)
        #expect(host.vm.nativeMemoryInUse == 0)
        host.main.pop()
    }

    @Test func `a limit of memory counts bytes that objects hold outside of Lua`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Animal")
        host.vm.setMemoryLimit(host.vm.memoryInUse + (4 << 20))
        #expect(try host.results("return #('x'):rep(1 << 20)") == ["1048576"])
        host.main.pushBox(Animal(counter), metatable, weight: 8 << 20)
        host.main.setGlobal("animal")
        #expect(throws: (any Error).self) {
            try host.results("local t = {} for i = 1, 1e5 do t[i] = {} end return 1")
        }
        host.main.pushNil()
        host.main.setGlobal("animal")
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(try host.results("return #('x'):rep(1 << 20)") == ["1048576"])
    }

    @Test func `a box is read only with its own metatable`() throws {
        let host = TestHost()
        let animals = LuaMetatable(host.vm, name: "Animal")
        let others = LuaMetatable(host.vm, name: "Other")
        let state = host.main
        state.pushBox(Bird(counter), animals)
        #expect(state.box(1, animals, as: Animal.self) is Bird)
        #expect(state.box(1, others, as: Animal.self) == nil)
        state.newUserdata(size: 64)
        state.push(lightUserdata: UnsafeMutableRawPointer(bitPattern: 16))
        state.push("text")
        state.newTable()
        state.pushNil()
        for index in Int32(2)...9 { #expect(state.box(index, animals, as: Animal.self) == nil) }
        animals.push(state)
        state.setMetatable(5)
        #expect(state.box(5, animals, as: Animal.self) == nil, "a table with the metatable is no box")
    }

    @Test func `scripts cannot confuse the finalizer`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Animal")
        host.main.pushBox(Animal(counter), metatable)
        host.main.setGlobal("animal")
        metatable.push(host.main)
        host.main.setGlobal("animals")
        let results = try host.results(
            """
            assert(debug.getmetatable(animal) == "Animal")
            local gc = animals.__gc
            gc(io.stdout) gc(12) gc({}) gc(nil) gc(animal) gc(animal)
            return getmetatable(animal), (pcall(setmetatable, animal, {}))
            """
        )
        #expect(results == ["Animal", "false"])
        #expect(counter.count.load(ordering: .relaxed) == 0)
        host.main.getGlobal("animal")
        #expect(host.main.box(-1, metatable, as: Animal.self) == nil)
    }

    @Test func `user values belong to the object and cycles through them are collected`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Animal")
        let state = host.main
        state.pushBox(Animal(counter), metatable, userValues: 2)
        state.newTable()
        state.pushValue(1)
        state.rawSet(-2, "self")
        #expect(state.setUserValue(1, 2))
        state.pushNil()
        #expect(!state.setUserValue(1, 3))
        #expect(state.getUserValue(1, 2) == .table)
        #expect(state.getUserValue(1, 9) == .none)
        state.setTop(0)
        host.vm.collectGarbage()
        host.vm.collectGarbage()
        #expect(counter.count.load(ordering: .relaxed) == 0)
    }

    @Test func `plain userdata are zeroed and known by their first word`() throws {
        let host = TestHost()
        let metatable = LuaMetatable(host.vm, name: "Point", isBox: false)
        let memory = host.main.newUserdata(size: 16, userValues: 1)
        #expect(memory.load(as: Int.self) == 0)
        #expect(host.main.userdata(1, metatable) == nil)
        metatable.push(host.main)
        host.main.setMetatable(1)
        // A script with the debug library can set a metatable, but not the memory.
        #expect(host.main.userdata(1, metatable) == nil)
        memory.storeBytes(of: metatable.identity, as: UnsafeRawPointer.self)
        #expect(host.main.userdata(1, metatable) == memory)
        #expect(host.main.typeName(1) == "Point")
        #expect(host.main.anyUserdata(1) == memory)
    }

    /// A type with properties: `legs` by number 1, `speak` as method, `kind` as constant.
    private func animals(_ host: TestHost) -> AnimalType {
        let state = host.main
        state.newTable()
        state.newTable()
        state.push(1)
        state.rawSet(-2, "legs")
        state.push(1)
        state.rawSet(-2, "numberOfLegsOnBothSidesAndInTheMiddleTogether")
        state.push {
            LuaState($0).push("moo"); return 1
        }
        state.rawSet(-2, "speak")
        state.push("animal")
        state.rawSet(-2, "kind")
        state.pushIndex(getter: readProperty, fallback: unknownProperty)
        state.rawSet(-2, "__index")
        state.newTable()
        state.push(1)
        state.rawSet(-2, "legs")
        state.pushNewIndex(setter: writeProperty)
        state.rawSet(-2, "__newindex")
        let metatable = LuaMetatable(state, name: "Animal", isBox: true)
        let type = AnimalType(metatable)
        state.push(lightUserdata: Unmanaged.passUnretained(type).toOpaque())
        state.setGlobal("type of animals")
        return type
    }

    @Test func `property tables return methods, constants and values of Swift`() throws {
        let host = TestHost()
        let type = animals(host)
        host.main.pushBox(Animal(counter), type.metatable)
        host.main.setGlobal("a")
        type.metatable.push(host.main)
        host.main.setGlobal("animals")
        #expect(
            try host.results("a.legs = a.legs + 1 return a.legs, a:speak(), a.kind") == [
                "5", "moo", "animal",
            ]
        )
        #expect(try host.failure("return a.lags", name: "@x.lua").message == "x.lua:1: no property 'lags'")
        #expect(
            try host.failure("a.speak = 1", name: "@x.lua").message
                == "x.lua:1: cannot set 'speak': there is no such property"
        )
        // Lua has long strings more than once.
        #expect(
            try host.results(
                "return a['numberOfLegsOnBothSides' .. 'AndInTheMiddleTogether'], rawequal(a.legs, 5)"
            )
                == ["5", "true"]
        )
        for key in ["{}", "print", "io.stdout", "coroutine.create(print)", "1", "true", "''"] {
            #expect(try host.failure("return a[\(key)]").message.contains("no property"), "\(key)")
        }
        #expect(try host.failure("a[nil] = 1").message.contains("cannot set 'nil'"))
        #expect(try host.failure("return a[0/0]").message.contains("no property"))
        #expect(try host.failure("animals.__index(42, 'legs')").message.contains("Animal expected"))
        #expect(try host.failure("animals.__index()").message.contains("no property"))
        withExtendedLifetime(type) {}
    }
}

/// Found by the functions of animals.
private final class AnimalType {
    let metatable: LuaMetatable

    init(_ metatable: LuaMetatable) { self.metatable = metatable }
}

private func animal(_ state: LuaState) -> Animal? {
    state.getGlobal("type of animals")
    defer { state.pop() }
    guard let pointer = state.lightUserdata(-1) else { return nil }
    let type = Unmanaged<AnimalType>.fromOpaque(pointer).takeUnretainedValue()
    return state.box(1, type.metatable, as: Animal.self)
}

private func readProperty(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    guard let animal = animal(state) else { return state.raise(argument: 1, expected: "Animal") }
    state.push(animal.legs)
    return 1
}

private func writeProperty(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    guard let animal = animal(state), let legs = state.integer(3) else {
        return state.raise(argument: 3, expected: "integer")
    }
    animal.legs = legs
    return 0
}

private func unknownProperty(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    return state.raise(message: "no property \(state.summary(2))")
}
