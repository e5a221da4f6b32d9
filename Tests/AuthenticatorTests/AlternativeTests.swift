import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// What the real authenticator asks PAM for, and what it signs, if a challenge leaves a choice or takes several proofs.
struct AlternativeTests {
    private static let pin = "1234"

    /// A fixture whose `coffer-passcode` takes another answer than its `coffer`. So the answer shows which of them was
    /// asked.
    private func fixture(
        _ kinds: [String], _ alternatives: [[Int64]], _ purposes: [Keychain.Purpose] = [.read]
    ) throws -> Fixture {
        let fixture = try Fixture(
            .init(prepare: { path in
                let check = "\(path)/pam/check-passcode"
                let script = "#!/bin/sh\nread -r given || [ -n \"$given\" ] || exit 1\n[ \"$given\" = '\(Self.pin)' ]\n"
                try Script.write(script, to: check)
                let rules = try String(contentsOfFile: "\(path)/pam/coffer", encoding: .utf8)
                    .replacingOccurrences(of: "\(path)/pam/check", with: check)
                try DurableFile.write(Array(rules.utf8), to: "\(path)/pam/coffer-passcode", mode: 0o644)
            }))
        fixture.broker.change { script in
            script.facts.purposes = purposes
            script.facts.authorizations = kinds.map { .init(kind: $0) }
            script.facts.alternatives = alternatives
        }
        return fixture
    }

    @Test(
        "a passcode is asked of its own service, and no other's answer will do",
        arguments: [
            ["passcode"], ["presence", "passcode"],
        ])
    func passcode(kinds: [String]) throws {
        let fixture = try fixture(kinds, [kinds.indices.map(Int64.init)])
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Prepare"))
        var again = try fixture.client()
        #expect(try again.authenticate(Self.pin).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == kinds.indices.map(Int64.init))
    }

    @Test("several items of different kinds: the person gives the proof that earns them all")
    func severalItems() throws {
        let fixture = try fixture(["presence", "passcode", "presence"], [[0, 1, 2]])
        fixture.broker.change { script in
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = ["a", "b", "c"].map { .init(service: "github", account: $0) }
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Prepare"))
        var again = try fixture.client()
        #expect(try again.authenticate(Self.pin).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1, 2])
    }

    @Test("a passcode opens a vault in the same question")
    func passcodeUnlocks() throws {
        let fixture = try fixture(["unlock", "passcode"], [[0, 1]], [.unlock, .read])
        var client = try fixture.client()
        #expect(try client.authenticate(Self.pin).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1])
    }

    @Test("of several ways one is asked for and signed, and nothing of the others")
    func either() throws {
        let fixture = try fixture(["biometry-any", "passcode", "presence"], [[0], [1], [2]])
        var client = try fixture.client()
        #expect(try client.authenticate(Self.pin).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [1])
    }

    @Test(
        "where nothing can prove what a way takes, nobody is asked and nothing is signed",
        arguments: [
            ["biometry-any"], ["biometry-any", "passcode"], ["presence", "biometry-any"],
        ])
    func unavailable(kinds: [String]) throws {
        let fixture = try fixture(kinds, [kinds.indices.map(Int64.init)])
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(fault?.name == .authenticationFailed && fault?.details.reason == "biometry")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test("a stack that is missing is said, and not replaced by another")
    func missing() throws {
        let fixture = try fixture(["passcode"], [[0]])
        try FileManager.default.removeItem(atPath: "\(fixture.path)/pam/coffer-passcode")
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationMisconfigured)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }
}
