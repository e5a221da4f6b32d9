import Authorization
import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A broker in a process of its own is unlocked and locked again and again. It keeps nothing: no handle, no session, no
/// descriptor, no memory.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct RoundsTests {
    /// What the process holds, according to `/proc`.
    private struct Holdings {
        let descriptors: Int
        /// RssAnon in KiB: the memory that no file backs.
        let memory: Int

        init(of process: ProcessIdentity) throws {
            let folder = "/proc/\(process.pid)"
            descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
            memory = try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
        }
    }

    private struct Rounds {
        let cofferd: Cofferd
        let client: WireClient
        let authenticator: TestAuthenticator

        init(_ cofferd: Cofferd) throws {
            self.cofferd = cofferd
            client = try WireClient(cofferd.socket)
            authenticator = try TestAuthenticator(
                socket: cofferd.folder.path + "/private.sock",
                registry: Registry(
                    directory: cofferd.folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser))
        }

        func run(_ count: Int) async throws {
            for _ in 0..<count {
                do { _ = try await client.call(Keychain.Unlock()) } catch let fault as Fault {
                    let id = try #require(fault.details.challenge, "\(fault)")
                    try await authenticator.grant(id)
                    #expect(try await client.call(Keychain.Unlock(challenge: id)).vault.state == .unlocked)
                }
                #expect(try await client.call(Keychain.Lock()).vault.state == .locked)
            }
        }

        /// Once the authenticator's last connection is gone, too.
        func whenQuiet(_ most: Int? = nil) async throws -> Holdings {
            let limit = ContinuousClock.now + patience
            var holdings = try Holdings(of: cofferd.process)
            while let most, holdings.descriptors > most, ContinuousClock.now < limit {
                _ = try await client.call(Keychain.Status())
                holdings = try Holdings(of: cofferd.process)
            }
            return holdings
        }
    }

    /// A heap of the size that the unit file sets.
    private let heap = ["GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"]

    @Test("1,000 rounds with the software sealer: as much memory as after 100, and as many descriptors")
    func software() async throws {
        let cofferd = try Cofferd(environment: heap)
        let rounds = try Rounds(cofferd)
        try await rounds.run(100)
        let early = try await rounds.whenQuiet()
        try await rounds.run(900)
        let late = try await rounds.whenQuiet(early.descriptors)
        #expect(late.descriptors <= early.descriptors, "\(early) \(late)")
        #expect(late.memory <= early.memory + 1024, "\(early) \(late)")
        try cofferd.end()
    }

    @Test(
        "150 rounds with a TPM: nothing in it but the storage key, as much memory and as many descriptors as after 50")
    func tpm() async throws {
        let tpm = try SWTPM()
        let cofferd = try Cofferd(environment: heap, sealer: "sealer = tpm\ntcti = \(tpm.configuration)")
        let rounds = try Rounds(cofferd)
        try await rounds.run(50)
        let early = try await rounds.whenQuiet()
        let handles = try tpm.persistentHandles()
        try await rounds.run(100)
        let late = try await rounds.whenQuiet(early.descriptors)
        #expect(late.descriptors <= early.descriptors, "\(early) \(late)")
        #expect(late.memory <= early.memory + 1024, "\(early) \(late)")
        #expect(try tpm.leftovers() == [])
        #expect(try tpm.persistentHandles() == handles)
        try cofferd.end()
    }

    @Test("a thousand questions, and as many uses of the sealer, take a timer or two, not a thousand")
    func timers() async throws {
        let timers = Mutex(0)
        let clock = BrokerClock(now: { ContinuousClock.now }, after: { _, _ in timers.withLock { $0 += 1 } })
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(150)), clock: clock)
        let thread = SealerThread(clock: clock)
        let caller = Caller(uid: 1, process: try TestAuthenticator.thisProcess(), connection: 1)
        for _ in 0..<1000 {
            _ = try store.issue(.vault(.create), to: caller, owner: .user(1), vault: nil)
            try await thread.run { () throws(SealerError) in }
        }
        #expect(timers.withLock { $0 } <= 2)
    }
}
