import Testing

@testable import Broker

/// What follows from logind's messages, without a bus.
struct SessionTableTests {
    private func table() -> SessionTable {
        var table = SessionTable()
        _ = table.add("/a", SessionDescription(uid: 1, kind: "user", isLocked: false, isIdle: false))
        _ = table.add("/b", SessionDescription(uid: 1, kind: "background", isLocked: false, isIdle: false))
        _ = table.add("/c", SessionDescription(uid: 2, kind: "user", isLocked: false, isIdle: false))
        return table
    }

    @Test("a session of cron's does not keep a vault open, and its end does not lock one")
    func background() {
        var table = table()
        #expect(table.actions(for: .sessionRemoved("/a")).contains(.lock(1)))
        table = self.table()
        #expect(!table.actions(for: .sessionRemoved("/b")).contains(.lock(1)))
    }

    @Test("unlock signals are followed by nothing")
    func unlock() {
        var table = table()
        #expect(table.actions(for: .unlock(session: "/a")).isEmpty)
        #expect(table.actions(for: .lockedHint(session: "/a", false)).isEmpty)
    }

    @Test("a lock of nobody knows whose session locks all")
    func unknown() {
        var table = table()
        #expect(table.actions(for: .lock(session: "/x")) == [.lockAll])
        #expect(table.actions(for: .lock(session: "/c")) == [.lock(2)])
    }

    @Test("keys are wiped before the machine is let sleep")
    func sleep() {
        var table = table()
        #expect(table.actions(for: .sleep(true)) == [.lockAll, .releaseInhibitor])
        #expect(table.actions(for: .sleep(false)) == [.takeInhibitor])
    }

    @Test("a locked screen is one until its own hint says otherwise, and a terminal's session is none")
    func screens() {
        var table = table()
        #expect(table.lockedScreens.isEmpty)
        _ = table.actions(for: .lock(session: "/a"))
        #expect(table.lockedScreens == [1])
        _ = table.actions(for: .unlock(session: "/a"))
        #expect(table.lockedScreens == [1])
        _ = table.actions(for: .lockedHint(session: "/b", false))
        #expect(table.lockedScreens == [1])
        _ = table.actions(for: .lockedHint(session: "/a", false))
        #expect(table.lockedScreens.isEmpty)
        _ = table.actions(for: .lockedHint(session: "/c", true))
        #expect(table.lockedScreens == [2])
        _ = table.actions(for: .sessionRemoved("/c"))
        #expect(table.lockedScreens.isEmpty)
        _ = table.add("/t", SessionDescription(uid: 4, kind: "user", type: "tty", isLocked: true))
        #expect(table.lockedScreens.isEmpty)
        for type in ["x11", "wayland", "mir", nil] {
            _ = table.add("/g", SessionDescription(uid: 5, kind: "user", type: type, isLocked: true))
            #expect(table.lockedScreens == [5])
        }
    }

    @Test("a new session whose hint cannot be read counts as locked")
    func unreadable() {
        var table = table()
        #expect(table.add("/d", SessionDescription(), uid: 3).contains(.lock(3)))
    }
}
