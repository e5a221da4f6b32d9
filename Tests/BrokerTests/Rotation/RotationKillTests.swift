import Authorization
import BrokerProtocol
import Foundation
import Glibc
import JSON
import Platform
import TPM
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// The broker is killed in the middle of a renewal of all keys. One of the two vaults is there, whole, and the renewal
/// continues.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct RotationKillTests {
    private static let uid = OwnProcess.effectiveUser

    /// When the broker is killed.
    enum Kill: Sendable, CustomStringConvertible {
        /// After a step.
        case after(TestAuthenticator.RotationStop)
        /// So long into a step; nil for `Adopt`.
        case into(TestAuthenticator.RotationStop?, milliseconds: Int)

        var description: String {
            switch self {
            case .after(let stop): "after \(stop)"
            case .into(let step, let time): "\(time) ms into \(step.map { "\($0)" } ?? "adopt")"
            }
        }
    }

    private static let kills: [Kill] =
        TestAuthenticator.RotationStop.allCases.map { .after($0) }
        + [5, 25, 60, 120, 250].map { .into(.renew, milliseconds: $0) }
        + [3, 10].map { .into(.items, milliseconds: $0) }
        + [2, 8, 20, 50].map { .into(.succeed, milliseconds: $0) }
        + [1, 3, 6, 10, 15, 25, 40, 80].map { .into(nil, milliseconds: $0) }

    /// A broker's process, and its client.
    private struct Fixture {
        let cofferd: Cofferd
        let client: WireClient
        let authenticator: TestAuthenticator

        init(_ tpm: SWTPM, after earlier: Fixture? = nil) throws {
            cofferd = try Cofferd(folder: earlier?.cofferd.folder, sealer: "sealer = tpm\ntcti = \(tpm.configuration)")
            client = try WireClient(cofferd.socket)
            authenticator = try TestAuthenticator(
                socket: cofferd.folder.path + "/private.sock",
                registry: Registry(directory: cofferd.folder.path + "/registry", authenticatorUID: uid),
                key: earlier?.authenticator.key)
        }

        func record() throws -> RegistryRecord { try #require(try authenticator.registry.record(for: .user(uid))) }

        func call<Method: VarlinkMethod>(
            _ method: Method, repeated: (String) -> Method
        ) async throws -> Method.Reply {
            do { return try await client.call(method) } catch let fault as Fault
                where fault.name == .authenticationRequired
            {
                let challenge = try #require(fault.details.challenge)
                try await authenticator.grant(challenge)
                return try await client.call(repeated(challenge))
            }
        }

        /// The test waits while somebody may still tell the registry which of two vaults it names.
        func unlock() async throws {
            let limit = ContinuousClock.now + patience
            while true {
                do {
                    _ = try await call(Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
                    return
                } catch let fault as Fault where fault.details.message?.contains("being renewed") == true {
                    try #require(ContinuousClock.now < limit)
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
        }

        func rotate() async throws -> Keychain.RotateAll.Reply {
            var method = Keychain.RotateAll()
            while true {
                do { return try await client.call(method) } catch let fault as Fault
                    where fault.name == .authenticationRequired
                {
                    let id = try #require(fault.details.challenge)
                    await (try authenticator.rotate(id)).line.close()
                    method.challenge = id
                }
            }
        }

        func expect(_ values: [String: [UInt8]], _ why: String) async throws {
            #expect(Set(try await client.call(Keychain.List()).items.map(\.account)) == Set(values.keys), "\(why)")
            for (account, value) in values {
                let reply = try await call(Keychain.Get(service: "s", account: account)) {
                    Keychain.Get(service: "s", account: account, challenge: $0)
                }
                #expect(reply.value == Data(value).base64EncodedString(), "\(why): \(account)")
            }
        }
    }

    private func die(_ fixture: Fixture, _ kill: Kill) async throws {
        let id = try await challenge { try await fixture.client.call(Keychain.RotateAll()) }
        switch kill {
        case .after(let stop):
            _ = try await fixture.authenticator.rotate(id, stop: stop)
            try end(fixture.cofferd)
        case .into(let step, let time):
            let cofferd = fixture.cofferd
            // From a broker that dies, the authenticator gets an error, or the answer that was under way.
            _ = try? await fixture.authenticator.rotate(id) { now in
                guard now == step else { return }
                Thread.detachNewThread {
                    usleep(UInt32(time) * 1000)
                    Glibc.kill(cofferd.process.pid, SIGKILL)
                }
            }
            try end(cofferd)
        }
    }

    private func end(_ cofferd: Cofferd) throws {
        // The thread may have killed it already.
        if kill(cofferd.process.pid, 0) == 0 { try cofferd.end(SIGKILL) }
    }

    @Test func aKillAnywhereLeavesEverythingReadableAndTheRenewalGoesOn() async throws {
        let tpm = try SWTPM()
        var fixture = try Fixture(tpm)
        try await fixture.unlock()
        var values: [String: [UInt8]] = [:]
        for number in 0..<12 {
            let (account, value) = ("plain\(number)", (0..<40 + number).map { UInt8(truncatingIfNeeded: $0 * number) })
            values[account] = value
            _ = try await fixture.client.call(
                Keychain.Set(service: "s", account: account, value: Data(value).base64EncodedString()))
        }
        for number in 0..<3 {
            values["gated\(number)"] = [UInt8(number), 255]
            _ = try await fixture.client.call(
                Keychain.Set(
                    service: "s", account: "gated\(number)", value: Data([UInt8(number), 255]).base64EncodedString(),
                    access: .presence))
        }
        for kill in Self.kills {
            let before = try fixture.record()
            try await die(fixture, kill)
            fixture = try Fixture(tpm, after: fixture)
            try await fixture.unlock()
            try await fixture.expect(values, "\(kill)")
            let present = try fixture.record()
            // An item that was written between two kills is not lost to a successor that was begun before.
            let account = "late-\(kill)"
            values[account] = Array(account.utf8)
            _ = try await fixture.client.call(
                Keychain.Set(service: "s", account: account, value: Data(account.utf8).base64EncodedString()))
            #expect(try await fixture.rotate().items == Int64(values.count), "\(kill)")
            let after = try fixture.record()
            #expect(after.vault != present.vault)
            try await fixture.expect(values, "\(kill), renewed")
            // The index that the former keys depended on is gone, whichever it was.
            let indexes = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).lowercased()
            for old in [before, present] {
                let handle = try #require(old.generation).handle
                guard handle != after.generation?.handle else { continue }
                #expect(!indexes.contains(String(handle, radix: 16)), "\(kill)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.cofferd.folder.path + "/vaults")
                .filter { $0.contains(".next") }
            #expect(names == [], "\(kill)")
            #expect(try await fixture.client.call(Keychain.VerifyLog()).whole, "\(kill)")
            values[account] = nil
            _ = try await fixture.client.call(Keychain.Delete(service: "s", account: account))
        }
        try fixture.cofferd.end()
    }

    @Test func whatWasSealedAnewIsNotAskedForTwice() async throws {
        let tpm = try SWTPM()
        let first = try Fixture(tpm)
        try await first.unlock()
        for account in ["a", "b", "c"] {
            _ = try await first.client.call(
                Keychain.Set(service: "s", account: account, value: someValue, access: .presence))
        }
        try await die(first, .after(.firstItem))
        let second = try Fixture(tpm, after: first)
        try await second.unlock()
        let id = try await challenge { try await second.client.call(Keychain.RotateAll()) }
        let line = try second.authenticator.connect()
        let facts = try await line.call(TestAuthenticator.describe(id, uid: Self.uid, TestAuthenticator.thisProcess()))
        #expect(facts.items?.count == 2 && facts.authorizations.map(\.kind) == ["unlock", "presence", "presence"])
        await line.close()
        #expect(try await second.rotate().items == 3)
        try await second.expect(
            ["a": [118, 97, 108, 117, 101], "b": [118, 97, 108, 117, 101], "c": [118, 97, 108, 117, 101]], "")
        try second.cofferd.end()
    }

    @Test func aSuccessorThatSomebodyPutThereIsNotTakenUp() async throws {
        let tpm = try SWTPM()
        let fixture = try Fixture(tpm)
        try await fixture.unlock()
        _ = try await fixture.client.call(
            Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        try await die(fixture, .after(.renew))
        // Somebody with the disk and no key rewrites the note.
        let path = VaultFile.successionPath(of: .user(Self.uid), in: fixture.cofferd.folder.path + "/vaults")
        var note = try Data(contentsOf: URL(fileURLWithPath: path))
        note[3] ^= 1
        try note.write(to: URL(fileURLWithPath: path))
        let text = try #require(SuccessionNote(Array(note))).text
        let record = try JSONReader.read(Succession.self, from: Array(text)).record
        let second = try Fixture(tpm, after: fixture)
        try await second.unlock()
        #expect(try await second.rotate().items == 1)
        #expect(try second.record().vault != record.vault)
        try second.cofferd.end()
    }
}
