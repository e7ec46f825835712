#if HTTP
import Testing

@testable import OpScriptWorks

@Suite struct TransferLifeTests {
    private func life(_ destination: TransferLife.Destination, _ lines: [String] = []) -> LifeUnderTest {
        let life = LifeUnderTest(destination)
        #expect(life.taken(isCancelled: false))
        for line in lines { life.headArrived(Array("\(line)\r\n".utf8)) }
        return life
    }

    @Test func `a transfer that was cancelled before it is known does not begin`() {
        let life = LifeUnderTest(.memory)
        #expect(!life.cancelled())
        #expect(!life.taken(isCancelled: true))
        #expect(!life.cancelled())
    }

    @Test func `a cancellation ends it once`() {
        let life = life(.memory, [])
        #expect(life.cancelled())
        #expect(!life.cancelled())
    }

    @Test func `the first reason of our own counts, and not the code of the library`() {
        let life = life(.memory, ["HTTP/1.1 200 OK", ""])
        #expect(life.bodyBegan() == .append)
        life.partFailed(.excess(.limit(5)))
        life.partFailed(.unwritable(5))
        #expect(life.libraryEnded(23) == .excess(.limit(5)))
    }

    @Test(arguments: [
        (200, 0, TransferLife.BodyAction.replace), (200, 10, .replace), (404, 0, .stop), (404, 10, .stop),
    ])
    func `a file takes the body of a success`(
        _ status: Int,
        _ kept: Int,
        _ action: TransferLife.BodyAction
    ) {
        let life = life(.file(kept: kept), ["HTTP/1.1 \(status) X", ""])
        #expect(life.bodyBegan() == action)
        #expect(life.libraryEnded(action == .stop ? 23 : 0) == (action == .stop ? .statusRefused : .answered))
    }

    @Test func `the rest of a file is appended only at its end`() {
        let right = life(.file(kept: 10), ["HTTP/1.1 206 X", "Content-Range: bytes 10-19/20", ""])
        #expect(right.bodyBegan() == .append)
        let wrong = life(.file(kept: 10), ["HTTP/1.1 206 X", "Content-Range: bytes 9-19/20", ""])
        #expect(wrong.bodyBegan() == .stop)
        #expect(wrong.libraryEnded(23) == .restRefused)
    }

    @Test func `a server without a rest says whether the file is whole`() {
        let whole = life(.file(kept: 20), ["HTTP/1.1 416 X", "Content-Range: bytes */20", ""])
        #expect(whole.libraryEnded(0) == .alreadyWhole)
        let shorter = life(.file(kept: 20), ["HTTP/1.1 416 X", "Content-Range: bytes */19", ""])
        #expect(shorter.libraryEnded(0) == .restRefused)
        let fresh = life(.file(kept: 0), ["HTTP/1.1 416 X", ""])
        #expect(fresh.libraryEnded(0) == .statusRefused)
    }

    @Test func `the head is that of the last answer, without trailers`() {
        let life = life(
            .memory,
            [
                "HTTP/1.1 302 Found", "Location: /a", "X: 1", "", "HTTP/1.1 302 Found", "location: /a", "",
                "HTTP/2 404 ", "A:  b ", "a:c", "", "Trailer: x",
            ]
        )
        #expect(life.head.status == 404 && life.head.statusText == "404 Not Found")
        #expect(life.head.fields == [.init(name: "a", value: "b"), .init(name: "a", value: "c")])
        #expect(life.head.hasCycle)
    }
}

/// The machine behind a reference, because an expectation cannot change a value.
private final class LifeUnderTest {
    private var life: TransferLife

    init(_ destination: TransferLife.Destination) { life = TransferLife(destination) }

    var head: ResponseHead { life.head }

    func taken(isCancelled: Bool) -> Bool { life.taken(isCancelled: isCancelled) }
    func cancelled() -> Bool { life.cancelled() }
    func headArrived(_ line: [UInt8]) { life.headArrived(line) }
    func bodyBegan() -> TransferLife.BodyAction { life.bodyBegan() }
    func partFailed(_ ending: TransferLife.Ending) { life.partFailed(ending) }
    func libraryEnded(_ code: UInt32) -> TransferLife.Ending { life.libraryEnded(code) }
}
#endif
