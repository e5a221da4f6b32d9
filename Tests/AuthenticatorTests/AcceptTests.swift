import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// Accepting an older file as the newest takes root and the owner of the vault. A taken-over broker, or one of the two
/// alone, gets no consent.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct AcceptTests {
    private let accounts: ThrowAwayAccounts

    init() throws { accounts = try ThrowAwayAccounts(1) }

    /// A PAM stack that knows the password of one account and no other account.
    private func fixture(
        _ owner: Owner, name: String, asking person: String, isService: Bool = false,
        _ purposes: [Keychain.Purpose] = [.accept], _ kinds: [String] = []
    ) throws -> Fixture {
        let fixture = try Fixture(
            .init(
                settings: "reuse-limit = 300",
                changeRecord: { record in
                    RegistryRecord(
                        vault: record.vault, owner: owner, ownerName: name, created: record.created,
                        sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil,
                        objects: record.objects, isService: isService)
                },
                prepare: { path in
                    let script = """
                        #!/bin/sh
                        [ "$PAM_USER" = '\(person)' ] || exit 1
                        read -r given || [ -n "$given" ] || exit 1
                        [ "$given" = '\(Fixture.password)' ]

                        """
                    try Script.write(script, to: "\(path)/pam/check")
                }))
        fixture.broker.change { script in
            script.facts.owner = owner.text
            script.facts.purposes = purposes
            script.facts.service = nil
            script.facts.account = nil
            script.facts.authorizations = kinds.map { .init(kind: $0) }
            script.facts.alternatives = [kinds.indices.map(Int64.init)]
            script.adopted = []
        }
        return fixture
    }

    private var owner: Owner { .user(accounts.uids[0]) }

    @Test func onlyRootAcceptsAndTheOwnerIsAsked() async throws {
        let name = accounts.names[0]
        let fixture = try fixture(owner, name: name, asking: name)
        // The owner alone, with their own password.
        let other = try await OtherProcess(socket: "\(fixture.path)/auth.sock", uid: accounts.uids[0])
        let answer = try await other.say(
            #"{"method":"org.coffer.Authentication.Begin","parameters":{"challenge":"challenge"}}"#)
        #expect(answer.contains("ChallengeRefused"), "\(answer)")
        // Root alone, without the owner's password.
        var wrong = try fixture.client()
        #expect(try wrong.authenticate("wrong").name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("ConfirmAcceptance"))
        // Both.
        var client = try fixture.client()
        let notice = (try client.begin().message?.text ?? "").unbroken
        #expect(notice.contains("Accept the present file of the vault of \"\(name)\""), "\(notice)")
        #expect(notice.contains("may be an older copy"), "\(notice)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(fixture.broker.calls.contains("ConfirmAcceptance") && !fixture.broker.calls.contains("Prepare"))
    }

    @Test func rootsPasswordIsNotTheOwners() throws {
        // PAM knows only root. It lets nobody in when it is asked about the owner.
        let fixture = try fixture(owner, name: accounts.names[0], asking: callerName())
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("ConfirmAcceptance"))
    }

    @Test func forRootsOwnVaultAndAGroupsRootIsAsked() throws {
        let root = try callerName()
        let own = try fixture(.user(0), name: root, asking: root)
        let group = try fixture(.group(accounts.gid), name: accounts.group, asking: root)
        for fixture in [own, group] {
            var wrong = try fixture.client()
            #expect(try wrong.authenticate("wrong").name == .authenticationFailed)
            var client = try fixture.client()
            #expect(try client.authenticate(Fixture.password).isDone)
        }
    }

    @Test func nobodyIsAskedForAServiceVault() throws {
        let fixture = try fixture(owner, name: accounts.names[0], asking: "nobody at all", isService: true)
        var client = try fixture.client()
        #expect(try client.begin().isDone)
        #expect(fixture.broker.calls.contains("ConfirmAcceptance"))
    }

    /// This consent counts for nothing else, and no earlier answer counts for this.
    @Test(arguments: [[Keychain.Purpose.accept, .unlock], [.accept, .read], [.accept, .create]])
    func itIsAskedByItself(purposes: [Keychain.Purpose]) throws {
        let root = try callerName()
        let kinds = purposes.contains(.unlock) ? ["unlock"] : purposes.contains(.read) ? ["presence"] : []
        let fixture = try fixture(.user(0), name: root, asking: root, purposes, kinds)
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("ConfirmAcceptance") && !fixture.broker.calls.contains("Prepare"))
    }

    @Test func nothingIsSignedForIt() throws {
        let root = try callerName()
        let fixture = try fixture(.user(0), name: root, asking: root, [.accept], ["unlock"])
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    private func callerName() throws -> String { try #require(try Account.withUID(geteuid())).name }
}
