import Testing

@testable import Broker

/// Which sessions count for a user's idleness, and what is known of new and unknown ones.
struct SessionIdlenessTests {
    private func add(
        _ table: inout SessionTable, _ path: String, _ uid: UInt32 = 1, kind: String = "user", isIdle: Bool? = false
    ) -> [SessionTable.Action] {
        table.add(path, SessionDescription(uid: uid, kind: kind, isLocked: false, isIdle: isIdle))
    }

    @Test("a user is idle if all of their own sessions are; those of cron and of other users do not count")
    func persons() {
        var table = SessionTable()
        #expect(add(&table, "/a") == [.idle(1, false)])
        #expect(add(&table, "/cron", kind: "background") == [.idle(1, false)])
        #expect(add(&table, "/other", 2) == [.idle(2, false)])
        #expect(table.actions(for: .idleHint(session: "/a", true)) == [.idle(1, true)])
        #expect(table.actions(for: .idleHint(session: "/cron", true)) == [.idle(1, true)])
        #expect(add(&table, "/b") == [.idle(1, false)])
        // The end of the session that was active leaves those that are idle.
        #expect(table.actions(for: .sessionRemoved("/b")) == [.idle(1, true)])
        // Who has no session left is not idle, but gone.
        #expect(table.actions(for: .sessionRemoved("/a")) == [.lock(1), .idle(1, false)])
        #expect(!table.knows("/a") && table.knows("/cron"))
    }

    @Test("a session that logind says nothing about is active")
    func unsaid() {
        var table = SessionTable()
        #expect(add(&table, "/a", isIdle: nil) == [.idle(1, false)])
        #expect(add(&table, "/b", isIdle: true) == [.idle(1, false)])
    }

    @Test("nothing follows from what unknown sessions do but from a lock")
    func unknown() {
        var table = SessionTable()
        #expect(table.actions(for: .idleHint(session: "/x", true)).isEmpty)
        #expect(table.actions(for: .sessionRemoved("/x")).isEmpty)
        #expect(table.actions(for: .sessionNew("/x")).isEmpty)
        #expect(table.actions(for: .lockedHint(session: "/x", false)).isEmpty)
        #expect(table.actions(for: .lockedHint(session: "/x", true)) == [.lockAll])
        #expect(!table.knows("/x") && table.lockedScreens.isEmpty)
    }

    @Test("a session's own word for its user counts, then that of the list, and without either it is left out")
    func users() {
        var table = SessionTable()
        let nobodys = SessionDescription(kind: "user", isLocked: false, isIdle: false)
        #expect(table.add("/a", SessionDescription(uid: 9, kind: "user"), uid: 8) == [.lock(9), .idle(9, false)])
        #expect(table.add("/b", nobodys, uid: 8) == [.idle(8, false)])
        #expect(table.add("/c", nobodys).isEmpty)
        #expect(table.knows("/b") && !table.knows("/c"))
    }
}
