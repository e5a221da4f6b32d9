import Authorization
import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Several programs of a user type a password that the vault is not bound to, at the same time. The TPM counts each try.
@Suite(.timeLimit(.minutes(30))) struct BoundTurnTests {
    private static let next = Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil)))

    /// Holds one of the signatures before the broker answers it, until it is let go.
    private final class Hold: Sendable {
        private struct State {
            var calls = 0
            var isLetGo = false
        }

        private let number: Int
        private let state = Mutex(State())

        /// - Parameter number: which signature is held; the first one is 1.
        init(_ number: Int) { self.number = number }

        func pass() {
            let isHeld = state.withLock { state in
                state.calls += 1
                return state.calls == number
            }
            // If the test fails before, it ends by itself.
            if isHeld { _ = eventually { state.withLock { $0.isLetGo } } }
        }

        func letGo() { state.withLock { $0.isLetGo = true } }
    }

    /// A vault that is bound to none of the passwords here.
    private func fixture(_ hold: Hold?) throws -> Fixture {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        let binding = try #require(BindingPin(index: index, salt: [UInt8](repeating: 9, count: 16), cost: 15))
        let fixture = try Fixture(
            .init(
                changeRecord: { record in
                    let sealed = record.sealedByTPM
                    guard let root = sealed.objects[.unlockRoot] else { return sealed }
                    return sealed.with(binding: binding, unlockRoot: root)
                },
                prepare: { path in
                    try FileManager.default.copyItem(
                        atPath: "\(path)/pam/coffer", toPath: "\(path)/pam/coffer-passcode")
                }))
        fixture.ask(for: [.unlock], ["unlock"])
        let wrong = Varlink.encode(
            Fault(.brokerTPM, .init(message: "wrong", kind: "wrong-password", code: 1, triesLeft: 8)))
        let key = Base64.encode([UInt8](repeating: 4, count: 32))
        fixture.broker.change { script in
            script.facts.passwordKey = key
            script.refusedCompletions = [[UInt8]](repeating: wrong, count: 30)
            if let hold { script.before["Complete"] = { hold.pass() } }
        }
        return fixture
    }

    /// A client that was asked for the login password.
    private func asked(_ fixture: Fixture) throws -> TestClient {
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        return client
    }

    /// A client whose login password was wrong for the TPM, and that was asked for the former one.
    private func askedForFormer(_ fixture: Fixture) throws -> TestClient {
        var client = try asked(fixture)
        #expect(try client.go(Fixture.password).message?.text.unbroken.contains("was changed") == true)
        #expect(try client.go().message?.text == "Former password: ")
        return client
    }

    /// Answers, and does not wait for the result.
    private func answer(_ client: borrowing TestClient, _ text: String) throws {
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: text))))
    }

    @Test func whatIsBeingTriedIsNotTriedBesides() throws {
        let hold = Hold(1)
        defer { hold.letGo() }
        let fixture = try fixture(hold)
        var first = try asked(fixture)
        try answer(first, Fixture.password)
        try #require(eventually { fixture.broker.calls.contains("Complete") })
        var second = try asked(fixture)
        #expect(try second.go(Fixture.password).message?.text.unbroken == TrialTurn.text)
        try second.send(Self.next)
        hold.letGo()
        #expect(try first.receive(TestClient.Step.self).message?.text.unbroken.contains("was changed") == true)
        #expect(try second.receive(TestClient.Step.self).message?.text.unbroken.contains("was changed") == true)
        #expect(fixture.broker.completions.count == 1)
    }

    @Test func aFormerPasswordThatIsBeingTriedIsNotTriedBesides() throws {
        let hold = Hold(2)
        defer { hold.letGo() }
        let fixture = try fixture(hold)
        var first = try askedForFormer(fixture)
        // It holds up nobody while its person thinks.
        var second = try askedForFormer(fixture)
        try answer(first, "one")
        try #require(eventually { fixture.broker.calls.count(where: { $0 == "Complete" }) == 2 })
        #expect(try second.go("one").message?.text.unbroken == TrialTurn.text)
        try second.send(Self.next)
        hold.letGo()
        let refused = try first.receive(TestClient.Step.self).fault
        #expect(
            refused?.details.message?.contains("not bound to that password") == true, "\(String(describing: refused))")
        let known = try second.receive(TestClient.Step.self).fault
        #expect(known?.details.message?.contains("was tried before") == true, "\(String(describing: known))")
        #expect(fixture.broker.completions.count == 2)
    }

    @Test func whoWaitsForTheTPMCanGiveUp() throws {
        let fixture = try fixture(nil)
        let folder = "\(fixture.registry.directory)/bindings"
        try Folder.make(folder, mode: 0o700)
        let other = try FileLock(path: "\(folder)/\(fixture.account.uid).try")
        var client = try asked(fixture)
        #expect(try client.go(Fixture.password).message?.text.unbroken == TrialTurn.text)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(eventually { fixture.broker.refusals == ["cancelled"] })
        #expect(!fixture.broker.calls.contains("Prepare"))
        other.keep()
    }
}
