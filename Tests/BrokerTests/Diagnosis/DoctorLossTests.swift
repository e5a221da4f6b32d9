import Authorization
import BrokerProtocol
import Foundation
import Platform
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A part of a vault is missing. What `coffer doctor` says must not make it worse, even if it is followed to the letter.
@Suite(.timeLimit(.minutes(30)))
struct DoctorLossTests {
    private let owner = Owner.user(OwnProcess.effectiveUser)

    private struct Fixture {
        let tpm: SWTPM
        var broker: ThrowAwayBroker
        let record: String
        let vault: String

        init(_ owner: Owner) async throws {
            let tpm = try SWTPM()
            self.tpm = tpm
            broker = try await Self.start(tpm)
            try await broker.makeVault(broker.client())
            _ = try await broker.client().call(Keychain.Set(service: "s", account: "a", value: someValue))
            let key = broker.configuration.registryDirectory + "/signing-key.pem"
            try DurableFile.write(Array("-".utf8), to: key, mode: 0o600)
            record = "\(broker.configuration.registryDirectory)/vaults/\(owner.fileStem).json"
            vault = "\(broker.configuration.vaultDirectory)/\(owner.fileStem).vault"
        }

        private static func start(
            _ tpm: SWTPM, folder: TemporaryFolder? = nil, authenticator: TestAuthenticator? = nil
        ) async throws -> ThrowAwayBroker {
            try await ThrowAwayBroker(
                folder: folder, authenticator: authenticator,
                configure: { configuration in
                    configuration.sealer = .tpm
                    configuration.tcti = "\(tpm.configuration)"
                }
            ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        }

        /// The next broker has not opened the vault yet.
        mutating func restart() async throws {
            await broker.stop()
            broker = try await Self.start(tpm, folder: broker.folder, authenticator: broker.authenticator)
        }

        func findings(_ check: Keychain.Check) async throws -> [Keychain.Finding] {
            try await broker.client().call(Keychain.Diagnose()).findings.filter { $0.check == check.rawValue }
        }

        /// The handles of the vault's own indexes, as tools write them.
        func handles() throws -> [String] {
            try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"])
                .split(separator: "\n").map { String($0.drop { $0 == "-" || $0 == " " }).lowercased() }
        }

        func take(_ path: String) throws {
            try FileManager.default.moveItem(atPath: path, toPath: path + ".taken")
        }

        func giveBack(_ path: String) throws {
            try FileManager.default.moveItem(atPath: path + ".taken", toPath: path)
        }
    }

    @Test("a vault without its record is something to do, and no index is called left over", arguments: [false, true])
    func missingRecord(isOpen: Bool) async throws {
        var fixture = try await Fixture(owner)
        if !isOpen { try await fixture.restart() }
        try fixture.take(fixture.record)
        let files = try await fixture.findings(.files)
        #expect(files.map(\.verdict) == [.problem])
        #expect(files.first?.message.contains(fixture.vault) == true, "\(files)")
        #expect(files.first?.advice?.contains(fixture.record) == true, "\(files)")
        let all = try await fixture.broker.client().call(Keychain.Diagnose()).findings
        for finding in all {
            #expect(!(finding.advice ?? "").contains("nvundefine"), "\(finding)")
            for handle in try fixture.handles() { #expect(!finding.message.contains(handle), "\(finding)") }
            #expect(finding.advice != "run the command again" && finding.advice?.contains("named above") != true)
        }
        // With the record put back, everything works, and nobody restarts anything.
        try fixture.giveBack(fixture.record)
        #expect(try await fixture.findings(.files).map(\.verdict) == [.ok])
        #expect(try await fixture.findings(.tpmIndexes).map(\.verdict) == [.ok])
        #expect(try await fixture.broker.client().call(Keychain.List()).items.count == 1)
        await fixture.broker.stop()
    }

    @Test("a record from before its file was changed: both are named, nothing is left over, and the newest heals it")
    func olderRecord() async throws {
        var fixture = try await Fixture(owner)
        let registry = Registry(
            directory: fixture.broker.configuration.registryDirectory, authenticatorUID: OwnProcess.effectiveUser)
        let newest = try #require(try registry.record(for: owner))
        let older = newest.with(binding: nil, unlockRoot: [UInt8](repeating: 7, count: 34))
        try registry.replace(newest, with: older)
        try await fixture.restart()
        // What the newest file needs.
        try Tool.output("tpm2_nvdefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-s", "8", "0x01b0cabc"])
        let all = try await fixture.broker.client().call(Keychain.Diagnose()).findings
        let files = all.filter { $0.check == Keychain.Check.files.rawValue }
        #expect(files.map(\.verdict) == [.problem], "\(files)")
        for path in [fixture.vault, fixture.record] {
            #expect(files.first?.message.contains(path) == true, "\(files)")
        }
        for finding in all {
            let advice = finding.advice ?? ""
            #expect(!advice.contains("nvundefine") && !advice.contains("vault accept"), "\(finding)")
        }
        let silent: [Keychain.Check] = [.verification, .rollback, .signingKey]
        #expect(!all.contains { found in silent.contains { $0.rawValue == found.check } }, "\(all)")
        let refused = try await fault { try await fixture.broker.client().call(Keychain.List()) }
        #expect(refused.name == .damaged && refused.details.kind == Keychain.missing, "\(refused)")
        #expect(refused.details.message?.contains(fixture.record) == true, "\(refused)")
        #expect(refused.details.advice?.contains("remove nothing from the TPM") == true, "\(refused)")
        // Nobody is asked in vain.
        for _ in 0..<2 {
            let unasked = try await fault { try await fixture.broker.client().call(Keychain.Unlock()) }
            #expect(unasked.name == .damaged && unasked.details.kind == Keychain.missing, "\(unasked)")
        }
        // Nobody restarts anything.
        try registry.replace(older, with: newest)
        #expect(try await fixture.broker.client().call(Keychain.List()).items.count == 1)
        #expect(try await fixture.findings(.files).map(\.verdict) == [.ok])
        await fixture.broker.stop()
    }

    @Test("a record without its file, one that others could write, and a missing folder each name what to restore")
    func parts() async throws {
        let fixture = try await Fixture(owner)
        await fixture.broker.stop()
        func gaps() -> [VaultInventory.Gap] {
            VaultInventory(
                vaults: fixture.broker.configuration.vaultDirectory,
                registry: Registry(
                    directory: fixture.broker.configuration.registryDirectory,
                    authenticatorUID: OwnProcess.effectiveUser)
            ).gaps
        }
        #expect(gaps() == [])
        try fixture.take(fixture.vault)
        #expect(gaps().map(\.owner) == [owner])
        #expect(gaps().first?.advice.contains(fixture.vault) == true, "\(gaps())")
        // A vault that is registered but has its first name is taken over at its next opening.
        try FileManager.default.moveItem(atPath: fixture.vault + ".taken", toPath: fixture.vault + ".new")
        #expect(gaps() == [])
        try FileManager.default.moveItem(atPath: fixture.vault + ".new", toPath: fixture.vault)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.record)
        #expect(gaps().first?.message.contains(fixture.record) == true, "\(gaps())")
        #expect(gaps().first?.advice.contains("backup") == true, "\(gaps())")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.record)
        let folder = fixture.broker.configuration.registryDirectory + "/vaults"
        try fixture.take(folder)
        #expect(gaps().first?.advice.contains(fixture.record) == true, "\(gaps())")
        try fixture.giveBack(folder)
        try fixture.take(fixture.broker.configuration.vaultDirectory)
        #expect(gaps().contains { $0.message.contains(fixture.broker.configuration.vaultDirectory) }, "\(gaps())")
    }

    @Test("an index that keys depend on is looked for, and each that is gone is named with what it means")
    func missingIndex() async throws {
        let fixture = try await Fixture(owner)
        let registry = Registry(
            directory: fixture.broker.configuration.registryDirectory,
            authenticatorUID: OwnProcess.effectiveUser)
        let record = try #require(try registry.record(for: owner))
        for handle in record.indexHandles {
            try Tool.output("tpm2_nvundefine", ["-T", fixture.tpm.tools, "-C", "o", "0x\(String(handle, radix: 16))"])
        }
        let found = try await fixture.findings(.tpmIndexes)
        #expect(found.count == 2 && found.allSatisfy { $0.verdict == .problem && $0.advice != nil }, "\(found)")
        for handle in record.indexHandles {
            #expect(found.contains { $0.message.contains(String(handle, radix: 16)) }, "\(found)")
        }
        #expect(found.contains { $0.advice?.contains("coffer export") == true }, "\(found)")
        // Those of a binding and of a boot tie, too.
        func index(_ handle: UInt32) throws -> IndexPin {
            try #require(IndexPin(handle: handle, policy: [UInt8](repeating: 1, count: 32)))
        }
        let binding = try #require(
            BindingPin(index: index(0x01B0_FFF1), salt: [UInt8](repeating: 2, count: BindingPin.saltCount)))
        let boot = try #require(BootPin(index: index(0x01B0_FFF2), registers: BootPin.standardRegisters))
        let tied = record.with(binding: binding, unlockRoot: record.objects[.unlockRoot] ?? [])
            .with(boot: boot, names: [.approvingKey: [UInt8](repeating: 3, count: 34)])
        try registry.replace(record, with: tied)
        let more = try await fixture.findings(.tpmIndexes)
        #expect(more.count == 4, "\(more)")
        for words in ["password tries (0x1b0fff1)", "approved boots (0x1b0fff2)"] {
            #expect(
                more.contains { $0.verdict == .problem && $0.message.contains(words) && $0.advice != nil }, "\(more)")
        }
        await fixture.broker.stop()
    }

    @Test(
        "another user hears that something is missing, and not whose",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func foreign() async throws {
        let fixture = try await Fixture(owner)
        try fixture.take(fixture.record)
        let other = try await OtherUser(fixture.broker, 1)
        let said = try await other.say("Diagnose")
        #expect(said.contains("another vault") && said.contains("ask root"), "\(said)")
        #expect(!said.contains(owner.fileStem) && !said.contains("nvundefine"), "\(said)")
        await fixture.broker.stop()
    }
}
