internal import CLinux
internal import Glibc

extension ProcessRegistry {
    /// Stops every program that works run, and then this process, as a shell's job control does (Ctrl-Z). Returns when
    /// something lets the process continue; the programs continue with it.
    ///
    /// It does nothing if the signal TSTP is ignored, and the system does not stop a process that nothing could let
    /// continue.
    ///
    /// - Parameter withGroup: Whether the other processes of this process's group are to stop as well. A terminal that
    ///   handles the key itself has stopped them.
    public func suspend(withGroup: Bool) {
        var former = sigaction()
        sigaction(SIGTSTP, nil, &former)
        if Self.isIgnored(former) { return }
        let groups = groups
        for group in groups { kill(-group, SIGSTOP) }
        var action = sigaction()
        if withGroup {
            action.__sigaction_handler.sa_handler = SIG_IGN
            sigaction(SIGTSTP, &action, nil)
            kill(0, SIGTSTP)
        }
        action.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(SIGTSTP, &action, nil)
        var signals = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, &blocked)
        // Takes effect before it returns, since the signal is for this thread.
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        sigaction(SIGTSTP, &former, nil)
        for group in groups { kill(-group, SIGCONT) }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
