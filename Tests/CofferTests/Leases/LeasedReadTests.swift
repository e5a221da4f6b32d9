import Foundation
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

/// What the library does below a lease (docs/leases.md): it reads without a prompt, even if the program may ask nobody.
@Suite(.timeLimit(.minutes(30)))
struct LeasedReadTests {
    private static let items = ["a", "b"].map { Wire.ItemName(service: "app", account: $0) }

    private func prepared() async throws -> (SandboxBroker, Keychain) {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let keychain = Keychain(service: "app", prompts: .never, backend: sandbox.backend)
        for account in ["a", "b", "c"] {
            try await keychain.set(
                "value of \(account)", for: account, access: .whenUnlocked.requiring(.userPresence))
        }
        return (sandbox, keychain)
    }

    private func expectRefusal(_ keychain: Keychain, _ accounts: String...) async {
        await refused(.authenticationNeeded, "\(accounts)") { () throws(KeychainError) in
            try await keychain.authenticate(for: accounts)
        }
    }

    @Test("below a lease the named items are read without a prompt, one by one and together, until it ends")
    func below() async throws {
        let (sandbox, keychain) = try await prepared()
        for account in ["a", "b", "c"] { await expectRefusal(keychain, account) }
        let lease = try await sandbox.backend.call(
            Wire.Lease(items: Self.items, seconds: 600), in: .own, prompts: .right, about: "the lease"
        ).lease
        #expect(lease?.pid == Int64(getpid()))

        #expect(try await keychain.string(for: "a") == "value of a")
        let context = try await keychain.authenticate(for: ["b", "a"])
        #expect(try context.string(for: "b") == "value of b")
        let person = CountingPerson()
        #expect(try await keychain.prompting(person.prompts).string(for: "b") == "value of b")
        #expect(person.questions == 0 && person.shown.isEmpty, "\(person.shown)")
        // What was not named asks, also together with what was.
        await expectRefusal(keychain, "c")
        await expectRefusal(keychain, "a", "c")

        #expect(try await sandbox.backend.call(Wire.EndLeases(), in: .own).ended == 1)
        for account in ["a", "b"] { await expectRefusal(keychain, account) }
        await sandbox.stop()
    }

    @Test("another process's lease is nothing to the process that started it")
    func outside() async throws {
        let (sandbox, keychain) = try await prepared()
        let tree = try ProcessTree()
        let names = #"[{"service": "app", "account": "a"}, {"service": "app", "account": "b"}]"#
        let answer = (authenticator: sandbox.paths.authenticator, password: SandboxBroker.password)
        let granted = try await tree.root.calling(
            "org.coffer.Keychain.Lease", #"{"items": \#(names), "seconds": 600}"#, at: sandbox.paths.broker,
            answering: answer)
        #expect(granted.done == true && granted.questions == 1, "\(granted)")
        await expectRefusal(keychain, "a")
        await expectRefusal(keychain, "a", "b")
        let read = try await tree.root.calling(
            "org.coffer.Keychain.Get", #"{"service": "app", "account": "a"}"#, at: sandbox.paths.broker,
            answering: answer)
        #expect(read.done == true && read.questions == 0 && read.leased == true, "\(read)")
        await sandbox.stop()
    }
}
