import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Vault

@testable import Broker

/// A broker on a TPM of its own, on a machine whose boots are measured, with the firmware's log of them.
final class TiedFixture {
    let tpm: SWTPM
    private(set) var broker: ThrowAwayBroker
    private(set) var client: WireClient
    private(set) var measured: [FirmwareLogMaker.Event] = []

    private let sealer: (TPMAccess) -> any Sealer

    /// - Parameter sealer: what the broker seals with.
    init(_ tpm: SWTPM? = nil, sealer: @escaping (TPMAccess) -> any Sealer = { TPMSealer($0) }) async throws {
        let tpm = try tpm ?? SWTPM()
        self.tpm = tpm
        self.sealer = sealer
        broker = try await Self.start(tpm, sealer)
        client = try broker.client()
    }

    private static func start(
        _ tpm: SWTPM, _ sealer: (TPMAccess) -> any Sealer, after earlier: ThrowAwayBroker? = nil
    ) async throws -> ThrowAwayBroker {
        try await ThrowAwayBroker(
            folder: earlier?.folder, authenticator: earlier?.authenticator,
            configure: { configuration in
                let folder = String(configuration.socket.dropLast("/coffer.sock".count))
                configuration.sealer = .tpm
                configuration.bootLog = folder + "/log"
                configuration.bootFolders = [folder + "/boot"]
            }
        ) { _ in sealer(TPMAccess.patient(tpm.configuration)) }
    }

    /// The broker ends and starts again. What the TPM does meanwhile is the machine's boot.
    func restart(_ boot: () throws -> Void = {}) async throws {
        await broker.stop()
        try boot()
        broker = try await Self.start(tpm, sealer, after: broker)
        client = try broker.client()
    }

    func stop() async { await broker.stop() }

    /// A vault with an item and a recovery code.
    func prepare() async throws {
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        let code = try await broker.call(client, Keychain.NewRecoveryCode()) { Keychain.NewRecoveryCode(challenge: $0) }
        let part = code.code.split(separator: "-")[Int(code.part) - 1]
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: String(part)))
    }

    /// - Parameter weak: whether it is tied even if nothing holds the command line.
    func tie(_ registers: [Int64]? = nil, weak: Bool? = true, stop: TestAuthenticator.Stop? = nil) async throws {
        let method = Keychain.TieToBoot(registers: registers, weak: weak)
        let id = try await challenge { try await client.call(method) }
        try await broker.authenticator.tie(id, stop: stop)
        guard stop == nil else { return }
        let boot = try await client.call(Keychain.TieToBoot(registers: registers, challenge: id)).boot
        #expect(boot?.isApproved == true)
    }

    func release() async throws {
        let id = try await challenge { try await client.call(Keychain.TieToBoot(release: true)) }
        try await broker.authenticator.tie(id)
        #expect(try await client.call(Keychain.TieToBoot(release: true, challenge: id)).boot == nil)
    }

    func approve(_ method: Keychain.ApproveBoot) async throws -> Keychain.BootState? {
        try await broker.call(client, method) { id in
            var repeated = method
            repeated.challenge = id
            return repeated
        }.boot
    }

    func unlock() async throws {
        _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
    }

    func read() async throws -> String {
        try await client.call(Keychain.Get(service: "s", account: "plain")).value
    }

    /// The firmware starts something, and logs it.
    func measure(_ register: UInt32, _ digest: [UInt8], type: UInt32 = 1, data: [UInt8] = Array("data".utf8)) throws {
        try tpm.measure(Int(register), digest)
        measured.append(FirmwareLogMaker.Event(register, type, digest, data))
        try DurableFile.write(FirmwareLogMaker.log(measured), to: broker.folder.path + "/log", mode: 0o644)
    }

    /// GRUB starts a kernel.
    func startGRUB(_ commandLine: String, initrd: [UInt8]) throws {
        for event in try BootLoaderLog.grub(commandLine, initrd: initrd) {
            try measure(event.register, event.digest, type: event.type, data: event.data)
        }
    }

    /// The machine starts again, and nothing is measured yet.
    func powerCycle() throws {
        try tpm.powerCycle()
        measured = []
    }

    /// Writes a file of the boot, and returns its digest.
    @discardableResult
    func write(_ text: String, to name: String) throws -> [UInt8] {
        let path = broker.folder.path + "/boot/" + name
        try Folder.make(broker.folder.path + "/boot", mode: 0o755)
        try DurableFile.write(Array(text.utf8), to: path, mode: 0o644)
        return try SHA256.digest(Array(text.utf8))
    }

    func findings() async throws -> [Keychain.Finding] {
        try await client.call(Keychain.Diagnose()).findings.filter { $0.check == "measured-boot" }
    }
}
