import BrokerProtocol
import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// The desktop shows the request too, and nothing that a desktop's bus does matters.
@Suite(.enabled(if: geteuid() == 0, "only root can become another user")) struct NotificationTests {
    /// A fixture with a client of uid 1, which has a vault.
    /// - Parameter launcher: a command that becomes the program.
    private func fixture(launcher: [String] = []) throws -> Fixture {
        let folder = NSTemporaryDirectory() + "coffer-desktop-" + UUID().uuidString.prefix(13)
        try Folder.make(folder, mode: 0o755)
        let fixture = try Fixture(.init(notifications: folder, launcher: { _ in launcher }))
        let account = try #require(try Account.withUID(SessionBus.uid))
        let record = try Fixture.newRecord(account, key: fixture.key.publicKey)
        try fixture.registry.write(record)
        fixture.broker.change {
            $0.facts.owner = "user:\(SessionBus.uid)"
            $0.facts.vault = record.vault.hex
            $0.facts.reason = "monthly <b>report</b>"
        }
        return fixture
    }

    private func read(_ fixture: Fixture) throws -> Puppet.Outcome {
        var order = Puppet.Order.begin
        order.uid = SessionBus.uid
        return try Puppet(fixture).perform(order)
    }

    @Test func itSaysWhatTheNoticeSaysAndIsTakenAway() throws {
        let fixture = try fixture()
        let bus = try SessionBus(.desktop, in: try #require(fixture.notifications))
        let outcome = try read(fixture)
        #expect(outcome.done && outcome.questions == 1, "\(outcome)")
        #expect(eventually { bus.lines.contains { $0.contains("CloseNotification") } }, "\(bus.lines)")
        let shown = bus.lines.filter { $0.contains(" Notify ") }
        #expect(shown.count == 1, "\(bus.lines)")
        let text = bus.lines.joined(separator: "\n")
        #expect(text.contains("python3") && text.contains("terminal pts/"))
        #expect(text.contains("github") && text.contains("me"))
        #expect(text.contains("monthly \\u{3c}b\\u{3e}report") && !text.contains("<b>"), "\(text)")
        #expect(eventually { fixture.conversations.isEmpty })
    }

    @Test func itIsThereWhileThePersonIsAsked() throws {
        let fixture = try fixture()
        let bus = try SessionBus(.desktop, in: try #require(fixture.notifications))
        var order = Puppet.Order.open
        order.uid = SessionBus.uid
        do {
            let shell = try Puppet(fixture)
            #expect(try shell.perform(order).error == nil)
            #expect(eventually { bus.lines.contains { $0.contains(" Notify ") } }, "\(bus.lines)")
            #expect(!bus.lines.contains { $0.contains("CloseNotification") })
        }
        // The client is gone, and so is the question.
        #expect(eventually { bus.lines.contains { $0.contains("CloseNotification") } }, "\(bus.lines)")
    }

    /// That is longer than the helper may wait for the bus. The desktop is told when the question ends in any case.
    @Test func itStaysUntilThePersonHasAnswered() throws {
        let fixture = try fixture()
        let bus = try SessionBus(.desktop, in: try #require(fixture.notifications))
        var order = Puppet.Order.open
        order.uid = SessionBus.uid
        do {
            let shell = try Puppet(fixture)
            #expect(try shell.perform(order).error == nil)
            #expect(eventually { bus.lines.contains { $0.contains(" Notify ") } }, "\(bus.lines)")
            Thread.sleep(forTimeInterval: 2.5)
            #expect(!bus.lines.contains { $0.contains("CloseNotification") })
            withExtendedLifetime(shell) {}
        }
        #expect(eventually { bus.lines.contains { $0.contains("CloseNotification") } }, "\(bus.lines)")
        // The usual prompt-timeout, in milliseconds.
        #expect(bus.lines.joined(separator: "\n").contains(" 120000"), "\(bus.lines)")
    }

    @Test func aBusThatHangsHoldsNothingUpAndSeesTheUserOnly() throws {
        // A service manager or an administrator may start the authenticator with more groups.
        let fixture = try fixture(launcher: ["/usr/bin/setpriv", "--groups=0,4242"])
        let bus = try SessionBus(.silent, in: try #require(fixture.notifications))
        let start = ContinuousClock.now
        let outcome = try read(fixture)
        #expect(outcome.done && outcome.questions == 1, "\(outcome)")
        #expect(eventually { !bus.lines.isEmpty })
        #expect(bus.lines == ["uid 1 gid 1 groups [] new 1"])
        #expect(eventually { fixture.conversations.isEmpty })
        // A wait for the bus would never end.
        #expect(ContinuousClock.now - start < patience / 4)
    }

    /// systemd starts the authenticator without groups. Started otherwise, it has root's, and the user's bus must not get them.
    @Test func theHelperGivesUpItsGroups() throws {
        let fixture = try fixture()
        let folder = try #require(fixture.notifications)
        let bus = try SessionBus(.silent, in: folder)
        let account = try #require(try Account.withUID(SessionBus.uid))
        let order = NotificationOrder(account, bus: "\(folder)/\(SessionBus.uid)/bus", text: "x", seconds: 5)
        let helper = try Subprocess(
            "/usr/bin/python3",
            ["-c", Self.start, Fixture.program, String(decoding: JSONWriter.bytes(of: order), as: UTF8.self)])
        #expect(try helper.finish() == 0)
        #expect(eventually { !bus.lines.isEmpty })
        #expect(bus.lines == ["uid 1 gid 1 groups [] new 1"])
    }

    /// Starts the helper with more groups, as a conversation starts it: its order comes by descriptor 3.
    private static let start = #"""
        import os, socket, sys
        os.setgroups([0, 4242, 4243])
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            os.dup2(theirs.fileno(), 3)
            os.set_inheritable(3, True)
            os.execv(sys.argv[1], ["coffer-authenticator", "notify"])
        theirs.close()
        ours.sendall(sys.argv[2].encode() + b"\0")
        os.waitpid(child, 0)
        """#

    @Test func aBusOfAnotherUsersIsLeftAlone() throws {
        let fixture = try fixture()
        let bus = try SessionBus(.foreign, in: try #require(fixture.notifications))
        #expect(try read(fixture).done)
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(bus.lines.isEmpty)
    }

    @Test func markupAndLengthAreTakenAway() {
        #expect(NotificationOrder.plain("<b>&amp;\u{1b}\n") == "\\u{3c}b\\u{3e}\\u{26}amp;\\u{1b}\n")
        #expect(NotificationOrder.plain(String(repeating: "x", count: 5000)).count == 1001)
    }
}
