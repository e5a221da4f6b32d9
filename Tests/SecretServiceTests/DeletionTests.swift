import Broker
import Coffer
import Foundation
import Synchronization
import TPM
import TestSupport
import Testing
import Vault

/// Deletions on a TPM whose memory wears. The broker's clock stands still, so a step of the counter that was used never
/// becomes free again. Whatever waits for one waits for ever.
@Suite("Deletions over D-Bus, by the library and on the command line", .timeLimit(.minutes(30)))
struct DeletionTests {
    private final class Fixture: Sendable {
        let tpm: SWTPM
        let recorder = CommandRecorder()
        let broker: ThrowAwayBroker
        let service: ServiceFixture
        private let time = TestClock()
        private let tap: WireTap?

        /// - Parameter tap: something between the broker and this TPM.
        init(tpm: SWTPM? = nil, tap: WireTap? = nil) async throws {
            let tpm = try tpm ?? SWTPM()
            self.tpm = tpm
            self.tap = tap
            var options = Broker.Options.patient
            options.clock = time.clock
            let configuration = tap?.configuration ?? tpm.configuration
            broker = try await ThrowAwayBroker(
                options: options,
                configure: {
                    $0.sealer = .tpm
                    $0.tcti = "\(configuration)"
                }
            ) { [recorder] _ in TPMSealer(TPMAccess.patient(configuration, observer: recorder)) }
            let client = try broker.client()
            try await broker.makeVault(client)
            await client.close()
            service = try await ServiceFixture(broker: broker.configuration.socket)
        }

        /// How often the TPM has counted.
        var counts: Int { recorder.names.count { $0 == "TPM2_NV_Increment" } }

        /// Stores items in a few calls.
        func store(_ keychain: Coffer.Keychain, _ count: Int, attributes: [String: String] = [:]) async throws {
            let changes = (0..<count).map { number in
                Coffer.ItemChange(
                    keychain.name("\(number)"), .set(NewItem(value: Array("v".utf8), attributes: attributes)))
            }
            for start in stride(from: 0, to: count, by: 100) {
                try await keychain.apply(Array(changes[start..<min(start + 100, count)]))
            }
        }

        func end() async {
            await service.end()
            await broker.stop()
        }
    }

    /// Every deletion takes a step from here on: without a bin, it is final.
    private func makeFinal(_ service: ServiceFixture) throws {
        let setting = try service.run(ServiceFixture.program("coffer"), ["history", "--bin", "0"])
        #expect(setting.status == 0, "\(setting.errors)")
    }

    /// Runs something that blocks.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: body)) }.start()
        }
    }

    @Test("500 deletions in every way end, while another program writes, and the TPM counts no more often than before")
    func manyWaitForNothing() async throws {
        let fixture = try await Fixture()
        let service = fixture.service
        let coffer = ServiceFixture.program("coffer")
        let library = service.keychain("library")
        try await fixture.store(service.keychain("by-bus"), 200, attributes: ["many": "yes"])
        try await fixture.store(service.keychain("by-secret-tool"), 80, attributes: ["tool": "yes"])
        try await fixture.store(library, 120)
        try await fixture.store(service.keychain("by-command"), 100)
        try makeFinal(service)
        fixture.recorder.reset()

        async let bus: Void = onThread { try service.check("clear", in: "deletions.py") }
        // On a slow machine, libsecret gives up the last ones after 25 s. If one waited for a step, no try would bring it to its end.
        // Where a try that was given up has removed them all the same, the next one finds nothing: it ends with 1, silently.
        let tries = """
            for n in $(seq 40); do
                said=$(secret-tool clear tool yes 2>&1) && exit 0
                [ "$said" ] || exit 0
            done
            exit 1
            """
        async let tool = onThread { try service.run("/bin/sh", ["-c", tries]) }
        let loop = #"for n in $(seq 0 99); do "$0" rm -f by-command $n || exit 1; done"#
        async let command = onThread { try service.run("/bin/sh", ["-c", loop, coffer]) }
        async let writer: Void = onThread { try service.check("write", in: "deletions.py") }
        for number in 0..<120 { #expect(try await library.delete("\(number)")) }
        try await bus
        try await writer
        #expect(try await tool.status == 0)
        let commands = try await command
        #expect(commands.status == 0, "\(commands.errors)")
        // Nothing but that they were removed is said.
        #expect(Set(commands.errors.split(separator: "\n").map { $0.prefix(8) }) == ["Removed "], "\(commands.errors)")

        // Steps that could not wait: none but the first one of the run.
        #expect(fixture.counts <= 61)
        for name in ["by-bus", "by-secret-tool", "library", "by-command"] {
            #expect(try await service.keychain(name).list().isEmpty, "\(name)")
        }
        let status = try service.run(coffer, ["status"]).output
        #expect(status.contains("Not yet protected: the last deletions"), "\(status)")
        await fixture.end()
    }

    @Test("While the TPM counts a program's deletion, the writes of other programs over D-Bus go on")
    func othersGoOn() async throws {
        let tpm = try SWTPM()
        let hold = CountHold()
        let fixture = try await Fixture(tpm: tpm, tap: try WireTap.sparing(tpm) { hold.wait() })
        let service = fixture.service
        try await fixture.store(service.keychain("held"), 1, attributes: ["held": "yes"])
        try makeFinal(service)
        hold.isHeld = true
        let isDeleted = Mutex(false)
        async let deletion: Void = onThread {
            try service.check("delete_one", in: "deletions.py")
            isDeleted.withLock { $0 = true }
        }
        #expect(try await onThread { hold.isReached })
        try await onThread { try service.check("write_beside", in: "deletions.py") }
        #expect(!isDeleted.withLock { $0 })
        hold.isHeld = false
        try await deletion
        await fixture.end()
    }

    @Test("A collection is deleted with one step of the counter, and so are all items of a service")
    func oneStep() async throws {
        let fixture = try await Fixture()
        let service = fixture.service
        try makeFinal(service)
        try service.check("fill_collection", in: "deletions.py")
        // Takes the first step of the run.
        let keychain = service.keychain("elsewhere")
        try await fixture.store(keychain, 300)
        try await keychain.delete("0")
        fixture.recorder.reset()
        try service.check("delete_collection", in: "deletions.py")
        #expect(fixture.counts == 1)
        #expect(try await keychain.deleteAll() == 299)
        #expect(fixture.counts == 2)
        #expect(try await keychain.list().isEmpty)
        await fixture.end()
    }

    @Test("Programs that store an item of the same attributes at the same moment make one")
    func sameAttributes() async throws {
        let fixture = try await ServiceFixture()
        try fixture.check("same_attributes", in: "deletions.py")
        await fixture.end()
    }
}

/// Holds the TPM's counting until a test lets it go on.
final class CountHold: Sendable {
    private let state = Mutex((isHeld: false, isReached: false))

    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }

    /// Waits while it is held. Nothing is refused.
    func wait() -> Bool {
        state.withLock { if $0.isHeld { $0.isReached = true } }
        let end = ContinuousClock.now + patience
        while isHeld, ContinuousClock.now < end { usleep(1000) }
        return false
    }

    /// Waits until something is held. False if that never happens.
    var isReached: Bool {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if state.withLock({ $0.isReached }) { return true }
            usleep(1000)
        }
        return false
    }
}
