import BrokerProtocol
import Coffer
import Dispatch
import Foundation
import Platform
import Testing

@testable import coffer_cli

/// What root's machine keeps of an invitation, and what it answers by it (docs/decisions/0039-invitations.md).
@Suite struct IssuedInvitationTests {
    private func invitation(_ count: Int?, _ guests: String...) -> IssuedInvitation {
        IssuedInvitation(
            circle: "", key: "", role: "reader", until: 1000, count: count, attested: count == nil,
            guests: guests.map { IssuedInvitation.Guest(device: $0, name: $0, time: 1) })
    }

    @Test func asManyComeAsWereInvited() {
        #expect(invitation(2).admits("a", at: 0) && invitation(2, "b").admits("a", at: 0))
        #expect(!invitation(2, "b", "c").admits("a", at: 0))
        #expect(invitation(2, "b", "c").admits("b", at: 0))
        #expect(invitation(nil, "b", "c").admits("a", at: 0))
        #expect(invitation(2, "b").isOpen(at: 0) && !invitation(1, "b").isOpen(at: 0))
    }

    @Test func anInvitationEnds() {
        for one in [invitation(2, "b"), invitation(nil, "b")] {
            for device in ["a", "b"] {
                #expect(one.admits(device, at: 999) && !one.admits(device, at: 1000) && !one.admits(device, at: 1001))
            }
            #expect(one.isOpen(at: 999) && !one.isOpen(at: 1000))
        }
    }

    /// Who lets a machine in has read the file, and is about to write it anew.
    @Test func anEndWaitsForOneWhoLetsAMachineIn() throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let path = scratch.file("invitations")
        let folder = InvitationFolder(path: path)
        let name = String(repeating: "0", count: InvitationLimits.name)
        try folder.add(invitation(2), as: name)
        let isEnded = DispatchSemaphore(value: 0)
        do {
            let held = try FileLock(path: path + "/lock")
            Thread.detachNewThread {
                // `try?`: if it is not ended, the test sees that below.
                try? InvitationFolder(path: path).end(name)
                isEnded.signal()
            }
            #expect(isEnded.wait(timeout: .now() + 0.5) == .timedOut)
            #expect(FileManager.default.fileExists(atPath: "\(path)/\(name)"))
            held.keep()
        }
        #expect(isEnded.wait(timeout: .now() + 60) == .success)
        #expect(!FileManager.default.fileExists(atPath: "\(path)/\(name)"))
        let guest = IssuedInvitation.Guest(device: "a", name: "a", time: 1)
        #expect(try folder.admit(guest, by: name, now: 0) == nil)
        #expect(throws: KeychainError.self) { try folder.end(name) }
    }

    @Test func itIsShownInWords() {
        #expect(invitation(1).shownGuests == "0 of 1 machine came")
        #expect(invitation(20, "a", "b").shownGuests == "2 of 20 machines came")
        #expect(invitation(nil, "a").shownGuests == "1 machine came")
    }

    /// A taken-over broker asks for something else in the place of what root has invited.
    @Test func anInvitationAnswersAboutWhoJoinsOnly() throws {
        let answer = InvitationAnswer("reader")
        for purposes: [BrokerProtocol.Keychain.Purpose] in [[.addToCircle], [.joinCircle]] {
            var prompter = try answer.checked(purposes)
            #expect(try prompter.ask(.init(style: .visible, text: ""), hangUp: -1) == "reader")
        }
        for purposes: [BrokerProtocol.Keychain.Purpose] in [
            [], [.unlock], [.foundCircle], [.removeFromCircle], [.paperToCircle], [.addToCircle, .unlock], [.rotate],
            [.read], [.accept],
        ] {
            #expect(throws: KeychainError.self, "\(purposes)") { try answer.checked(purposes) }
        }
    }
}
