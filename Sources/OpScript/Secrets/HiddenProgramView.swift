internal import Synchronization

/// Shows the output of a program without secrets.
package final class HiddenProgramView: ProgramView {
    private let view: any ProgramView
    private let streams: Mutex<(output: SecretStream, error: SecretStream)>

    package init(_ view: any ProgramView, _ secrets: Secrets) {
        self.view = view
        streams = Mutex((SecretStream(secrets), SecretStream(secrets)))
    }

    package func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        let shown = streams.withLock { streams in
            isError ? streams.error.take(bytes) : streams.output.take(bytes)
        }
        if !shown.isEmpty { view.wrote(shown[...], isError: isError) }
    }

    package func ended() {
        let rest = streams.withLock { ($0.output.takeAll(), $0.error.takeAll()) }
        if !rest.0.isEmpty { view.wrote(rest.0[...], isError: false) }
        if !rest.1.isEmpty { view.wrote(rest.1[...], isError: true) }
        view.ended()
    }

    package func settled(isUsed: Bool) { view.settled(isUsed: isUsed) }

    package func passOn() { view.passOn() }
}
