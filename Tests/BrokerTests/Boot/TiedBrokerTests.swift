import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A vault that is tied to the boot in the broker: who may change the tie, and what another boot means for it and for
/// other vaults.
@Suite(.timeLimit(.minutes(30)))
struct TiedBrokerTests {
    private let other = [UInt8](repeating: 0xEE, count: 32)
    private let update = [UInt8](repeating: 0x0B, count: 32)

    @Test func aRecoveryCodeComesFirst() async throws {
        let fixture = try await TiedFixture()
        try await fixture.broker.makeVault(fixture.client)
        let client = fixture.client
        let without = try await fault { try await client.call(Keychain.TieToBoot()) }
        #expect(without.name == .failed && without.details.advice?.contains("coffer recovery new") == true)
        // A code that was shown and never confirmed is not a code.
        _ = try await fixture.broker.call(client, Keychain.NewRecoveryCode()) {
            Keychain.NewRecoveryCode(challenge: $0)
        }
        #expect(try await fault { try await client.call(Keychain.TieToBoot()) }.name == .failed)
        try await fixture.prepare()
        try await fixture.tie()
        let again = try await fault { try await client.call(Keychain.TieToBoot()) }
        #expect(again.name == .alreadyExists)
        #expect(try await client.call(Keychain.Status()).vault.boot == [4, 7])
        await fixture.stop()
    }

    @Test func registersAreTheCallersToName() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        let client = fixture.client
        for registers: [Int64] in [[], [16], [23], [7, 7], [-1], [1 << 40]] {
            let refused = try await fault { try await client.call(Keychain.TieToBoot(registers: registers)) }
            #expect(refused.name == .invalidArgument, "\(registers)")
        }
        try await fixture.tie([9, 7])
        #expect(try await client.call(Keychain.Boot()).boot?.registers == [7, 9])
        try fixture.measure(4, other)
        #expect(try await client.call(Keychain.Boot()).boot?.isApproved == true)
        try fixture.measure(9, other)
        #expect(try await client.call(Keychain.Boot()).boot?.isApproved == false)
        await fixture.stop()
    }

    @Test(.enabled(if: getuid() == 0, "another user's vault takes root"))
    func anotherBootIsSaidAndTheRightOneOpensAgain() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        try await fixture.restart { try fixture.measure(7, other) }
        let client = fixture.client
        for _ in 0..<2 {
            let refused = try await fault { try await client.call(Keychain.List()) }
            #expect(refused.name == .tpm && refused.details.kind == "boot")
            #expect(refused.details.advice?.contains("coffer boot approve") == true)
            #expect(refused.details.advice?.contains("coffer recovery restore") == true)
        }
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let opened = try await fault {
            try await fixture.broker.authenticator.grant(id)
            return true
        }
        #expect(opened.name == .brokerTPM && opened.details.kind == "boot")
        let status = try await client.call(Keychain.Status())
        #expect(status.vault.state == .sealed && status.vault.boot == [4, 7])
        #expect(try await fixture.findings().map(\.verdict) == [.problem])
        // Other vaults here are not affected.
        let neighbour = try await OtherUser(fixture.broker, 1)
        _ = try await neighbour.pass("Unlock")
        #expect(try await neighbour.say("List").contains("items"))
        // Even without a restart of the broker, because it was not damage.
        try fixture.powerCycle()
        #expect(try await client.call(Keychain.List()).items.count == 1)
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        #expect(try fixture.tpm.leftovers() == [])
        await fixture.stop()
    }

    @Test func keysAreRenewedOnceItIsReleased() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        let client = fixture.client
        let refused = try await fault { try await client.call(Keychain.RotateAll()) }
        #expect(refused.name == .failed && refused.details.advice?.contains("coffer boot release") == true)
        try await fixture.release()
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        await (try fixture.broker.authenticator.rotate(id)).line.close()
        #expect(try await client.call(Keychain.RotateAll(challenge: id)).items == 1)
        #expect(try await fixture.read() == someValue)
        await fixture.stop()
    }

    @Test func aRedefinedIndexIsNamedAndIsNoDamage() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        let owner = Owner.user(OwnProcess.effectiveUser)
        let boot = try #require(try fixture.broker.authenticator.registry.record(for: owner)?.boot)
        try await fixture.restart {
            try fixture.tpm.redefine(
                boot.index.handle, attributes: "policywrite|authread|no_da", size: 34, policy: boot.index.policy)
        }
        let client = fixture.client
        let refused = try await fault { try await client.call(Keychain.List()) }
        #expect(refused.name == .tpm && refused.details.kind == "boot-index")
        #expect(refused.details.advice?.contains("coffer recovery restore") == true)
        await fixture.stop()
    }

    @Test func anUpdateIsApprovedByValuesAndPruned() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        let zeros = [UInt8](repeating: 0, count: 32)
        let value = Hex.encode(try SHA256.digest(zeros + update))
        let method = Keychain.ApproveBoot(values: [.init(register: 4, value: value)])
        let both = try await fixture.approve(method)
        #expect(both?.approved.count == 2 && both?.isApproved == true)
        // The machine runs with the update.
        try await fixture.restart { try fixture.measure(4, update) }
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        #expect(try await fixture.findings().contains { $0.message.contains("coffer boot prune") })
        let one = try await fixture.approve(Keychain.ApproveBoot())
        #expect(one?.approved.count == 1 && one?.isApproved == true)
        // With the old kernel it no longer opens.
        try await fixture.restart { try fixture.powerCycle() }
        let client = fixture.client
        #expect(try await fault { try await client.call(Keychain.List()) }.details.kind == "boot")
        try fixture.measure(4, update)
        let log = try await client.call(Keychain.Log()).records.map { "\($0.event) \($0.detail ?? "")" }
        #expect(log.contains("tie ") && log.contains("approve this boot alone"))
        #expect(log.contains { $0.hasPrefix("approve boot ") })
        try await fixture.release()
        #expect(try await client.call(Keychain.Boot()).boot == nil)
        #expect(try await client.call(Keychain.Log()).records.contains { $0.event == "release" })
        try fixture.powerCycle()
        #expect(try await fixture.read() == someValue)
        await fixture.stop()
    }

    @Test func anUpdateIsPredictedFromTheFirmwaresLog() async throws {
        let fixture = try await TiedFixture()
        try fixture.measure(7, other)
        let old = try fixture.write("kernel 1", to: "vmlinuz")
        try fixture.measure(4, old)
        try await fixture.prepare()
        try await fixture.tie()
        let new = try SHA256.digest(Array("kernel 2".utf8))
        let pair = Keychain.Replacement(old: Hex.encode(old), new: Hex.encode(new))
        let unmeasured = Keychain.Replacement(old: Hex.encode(new), new: Hex.encode(old))
        let client = fixture.client
        func refusal(_ method: Keychain.ApproveBoot) async throws -> Fault {
            try await fault { try await client.call(method) }
        }
        // Nonsense is refused before anybody is asked.
        #expect(try await refusal(.init(replacements: [[unmeasured]])).name == .invalidArgument)
        #expect(try await refusal(.init(replacements: [[]])).name == .invalidArgument)
        #expect(try await refusal(.init(replacements: [[.init(old: "no", new: "digest")]])).name == .invalidArgument)
        #expect(
            try await refusal(.init(replacements: [[.init(old: pair.old, new: pair.old)]])).name == .invalidArgument)
        #expect(try await refusal(.init(values: [.init(register: 9, value: pair.new)])).name == .invalidArgument)
        #expect(
            try await refusal(.init(replacements: [[pair]], values: [.init(register: 4, value: pair.new)])).name
                == .invalidArgument)
        // One of a file's digests is enough.
        let both = try await fixture.approve(.init(replacements: [[unmeasured, pair]]))
        #expect(both?.approved.count == 2)
        try await fixture.restart {
            try fixture.powerCycle()
            try fixture.measure(7, other)
            try fixture.measure(4, new)
        }
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        // A log that does not lead to the TPM's registers predicts nothing.
        try fixture.tpm.measure(4, other)
        try await fixture.restart { try fixture.powerCycle() }
        try fixture.tpm.measure(7, other)
        try fixture.tpm.measure(4, old)
        let later = fixture.client
        let lying = try await fault { try await later.call(Keychain.ApproveBoot(replacements: [[pair]])) }
        #expect(lying.name == .failed && lying.details.message?.contains("does not explain") == true)
        await fixture.stop()
    }

    @Test func noOtherGrantApprovesOrGivesACode() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        let (client, authenticator) = (fixture.client, fixture.broker.authenticator)
        // The signature for tying releases the recovery key for sealing anew, and for nothing else.
        let tying = try await challenge { try await client.call(Keychain.TieToBoot(weak: true)) }
        let line = try await authenticator.described(tying)
        try await authenticator.releaseRoots(tying, over: line)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: tying)) }.name
                == .challengeRefused)
        await line.close()
        let second = try await challenge { try await client.call(Keychain.TieToBoot(weak: true)) }
        try await authenticator.tie(second)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: second)) }.name
                == .challengeRefused)
        // It opens nothing either. After a lock, its signature is only for sealing anew.
        _ = try await client.call(Keychain.Lock())
        for kind in ["unlock", "recovery"] {
            let id =
                kind == "unlock"
                ? try await challenge { try await client.call(Keychain.Unlock()) }
                : try await challenge { try await client.call(Keychain.NewRecoveryCode()) }
            try await authenticator.grant(id)
            #expect(
                try await fault { try await client.call(Keychain.ApproveBoot(challenge: id)) }.name
                    == .challengeRefused, "\(kind)")
        }
        let approving = try await challenge { try await client.call(Keychain.ApproveBoot()) }
        try await authenticator.grant(approving)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: approving)) }.name
                == .challengeRefused)
        // The grant is used up.
        #expect(
            try await fault { try await client.call(Keychain.ApproveBoot(challenge: approving)) }.name
                == .challengeRefused)
        await fixture.stop()
    }

    @Test func theWordForTyingOpensNothing() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        let (client, authenticator) = (fixture.client, fixture.broker.authenticator)
        _ = try await client.call(Keychain.Lock())
        let tying = try await challenge { try await client.call(Keychain.TieToBoot(weak: true)) }
        let line = try await authenticator.described(tying)
        let refused = try await fault {
            try await authenticator.release(tying, pin: nil, reseals: false, over: line)
            return true
        }
        #expect(refused.name == .brokerChallengeRefused)
        #expect(try await client.call(Keychain.Status()).vault.state == .locked)
        await line.close()
        // Without both signatures nothing is sealed anew.
        let half = try await challenge { try await client.call(Keychain.TieToBoot(weak: true)) }
        let other = try await authenticator.described(half)
        try await authenticator.release(half, pin: nil, reseals: true, over: other)
        let early = try await fault { try await other.call(BrokerInterface.ResealForBoot(challenge: half)) }
        #expect(early.name == .brokerNotPermitted)
        await other.close()
        await fixture.stop()
    }

    @Test(arguments: [TestAuthenticator.Stop.afterReseal, .afterRegistry], [true, false])
    func aStopInBetweenLeavesAVaultThatOpens(stop: TestAuthenticator.Stop, restarts: Bool) async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie(stop: stop)
        if restarts { try await fixture.restart() }
        let client = fixture.client
        _ = try await client.call(Keychain.Lock())
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        #expect((try await client.call(Keychain.Boot()).boot != nil) == (stop == .afterRegistry))
        if stop == .afterReseal { try await fixture.tie() }
        #expect(try await fixture.read() == someValue)
        let indexes = try Tool.output("tpm2_getcap", ["-T", fixture.tpm.tools, "handles-nv-index"])
        // The index of the approved boots, the counter of the vault's epochs, and the generation of its keys.
        #expect(indexes.split(separator: "\n").count == 3)
        try await fixture.release()
        #expect(try await fixture.read() == someValue)
        await fixture.stop()
    }
}

/// Ties that would leave open what every boot menu offers: another command line.
@Suite(.timeLimit(.minutes(3)))
struct OpenCommandLineTests {
    private let initrd = [UInt8](repeating: 7, count: 32)

    @Test func theCommandLineOfThisBootIsHeldWithoutBeingNamed() async throws {
        let fixture = try await TiedFixture()
        try fixture.measure(4, [UInt8](repeating: 3, count: 32))
        try fixture.startGRUB("/vmlinuz root=/dev/sda1", initrd: initrd)
        try await fixture.prepare()
        let coverage = try await fixture.client.call(Keychain.TieCoverage()).coverage
        #expect(coverage.registers == [4, 7, 8, 9] && coverage.changesWithMenu && coverage.reason == nil)
        #expect(coverage.commandLine == .held && coverage.initrd == .held)
        try await fixture.tie(weak: nil)
        #expect(try await fixture.client.call(Keychain.Status()).vault.boot == [4, 7, 8, 9])
        #expect(try await fixture.findings().allSatisfy { $0.verdict != .problem })
        // Somebody edits the line at the menu.
        try await fixture.restart {
            try fixture.powerCycle()
            try fixture.measure(4, [UInt8](repeating: 3, count: 32))
            try fixture.startGRUB("/vmlinuz root=/dev/sda1 init=/bin/sh", initrd: initrd)
        }
        let client = fixture.client
        #expect(try await fault { try await client.call(Keychain.List()) }.details.kind == "boot")
        await fixture.stop()
    }

    @Test func aTieThatLeavesItOpenIsRefusedUnlessItIsMeant() async throws {
        let fixture = try await TiedFixture()
        try fixture.measure(4, [UInt8](repeating: 3, count: 32))
        try await fixture.prepare()
        let client = fixture.client
        func refusal(_ registers: [Int64]?) async throws -> String {
            let refused = try await fault { try await client.call(Keychain.TieToBoot(registers: registers)) }
            #expect(refused.name == .failed)
            return refused.details.message ?? ""
        }
        // Nothing is measured after the boot loader.
        #expect(try await refusal(nil).contains("nothing in registers 4, 7"))
        #expect(try await refusal([4, 7, 8, 9]).contains("nothing in registers 4, 7, 8, 9"))
        try fixture.startGRUB("/vmlinuz root=/dev/sda1", initrd: initrd)
        // It would be measured, but other registers are named. Or nothing shows what measures it.
        for registers: [Int64] in [[4, 7], [4, 7, 9], [7, 8, 9]] {
            #expect(try await refusal(registers).contains("nothing in registers"), "\(registers)")
        }
        #expect(try await client.call(Keychain.TieCoverage(registers: [4, 7, 9])).coverage.initrd == .held)
        // A log that conceals something, and no log.
        try fixture.tpm.measure(8, initrd)
        #expect(try await refusal([4, 7, 8]).contains("does not match what the TPM holds in register 8"))
        try DurableFile.write(Array("none".utf8), to: fixture.broker.folder.path + "/log", mode: 0o644)
        #expect(try await refusal([4, 7, 8]).contains("the firmware keeps no log here"))
        #expect(try await client.call(Keychain.TieCoverage()).coverage.registers == [4, 7])
        try await fixture.tie([4, 7], weak: true)
        let said = try await fixture.findings()
        #expect(
            said.contains {
                $0.verdict == .problem && $0.message.contains("command line open")
                    && $0.advice == "coffer boot release, then coffer boot bind"
            })
        await fixture.stop()
    }

    @Test func aSealerWithoutRegistersHoldsNothing() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        #expect(try await fault { try await client.call(Keychain.TieCoverage()) }.name == .notFound)
        try await broker.makeVault(client)
        #expect(try await fault { try await client.call(Keychain.TieCoverage()) }.name == .invalidArgument)
        await broker.stop()
    }
}

/// What `coffer doctor` reports before a restart.
@Suite(.timeLimit(.minutes(30)))
struct BootDoctorTests {
    private func said(_ findings: [Keychain.Finding], _ verdict: Keychain.Finding.Verdict, _ words: String) -> Bool {
        findings.contains { $0.verdict == verdict && $0.message.contains(words) }
    }

    @Test func aChangedFileIsNamedWithWhatApprovesIt() async throws {
        let fixture = try await TiedFixture()
        let old = try fixture.write("grub 1", to: "grub.efi")
        // The firmware names what it starts. A file that is not an image is compared whole.
        let initrd = [UInt8](repeating: 7, count: 32)
        try fixture.measure(4, old, type: 0x8000_0003, data: FirmwareLogMaker.image("/grub.efi"))
        try fixture.startGRUB("/vmlinuz root=/dev/sda1", initrd: initrd)
        try await fixture.prepare()
        #expect(said(try await fixture.findings(), .note, "not tied to the boot"))
        try await fixture.tie([4, 7, 8], weak: nil)
        let calm = try await fixture.findings()
        #expect(said(calm, .ok, "this boot is approved") && said(calm, .ok, "have not changed since (1 file)"))
        #expect(calm.allSatisfy { $0.verdict == .ok })

        let new = try fixture.write("grub 2", to: "grub.efi")
        let warned = try await fixture.findings()
        #expect(said(warned, .problem, "after a restart the vault will not open"))
        let command = "coffer boot approve --replace \(Hex.encode(old))=\(Hex.encode(new))"
        #expect(warned.contains { $0.advice?.contains(command) == true })
        _ = try await fixture.approve(.init(replacements: [[.init(old: Hex.encode(old), new: Hex.encode(new))]]))
        let approved = try await fixture.findings()
        #expect(said(approved, .ok, "a start with this change is approved"))
        #expect(said(approved, .note, "2 boots are approved"))
        #expect(!approved.contains { $0.verdict == .problem })
        // The forecast was right.
        try await fixture.restart {
            try fixture.powerCycle()
            try fixture.measure(4, new, type: 0x8000_0003, data: FirmwareLogMaker.image("/grub.efi"))
            try fixture.startGRUB("/vmlinuz root=/dev/sda1", initrd: initrd)
        }
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        await fixture.stop()
    }

    @Test func whatCannotBeForeseenIsSaid() async throws {
        let fixture = try await TiedFixture()
        try fixture.measure(
            4, [UInt8](repeating: 3, count: 32), type: 0x8000_0003, data: FirmwareLogMaker.image("/away.efi"))
        try await fixture.prepare()
        try await fixture.tie()
        #expect(said(try await fixture.findings(), .note, "/away.efi"))
        let path = fixture.broker.folder.path + "/log"
        let log = try Data(contentsOf: URL(fileURLWithPath: path))
        // A log of another boot, a file that is not a log, and no log.
        let lies = FirmwareLogMaker.log([.init(4, 1, [UInt8](repeating: 4, count: 32))])
        try DurableFile.write(lies, to: path, mode: 0o644)
        #expect(said(try await fixture.findings(), .note, "does not match what the TPM holds in register 4"))
        try DurableFile.write(Array("none".utf8), to: path, mode: 0o644)
        #expect(said(try await fixture.findings(), .note, "the firmware keeps no log here"))
        try FileManager.default.removeItem(atPath: path)
        #expect(said(try await fixture.findings(), .note, "cannot be read"))
        try log.write(to: URL(fileURLWithPath: path))
        // Measured while the vault is open. The vault goes on, and will not open again.
        try fixture.measure(7, [UInt8](repeating: 5, count: 32))
        #expect(said(try await fixture.findings(), .problem, "once closed, the vault will not open again"))
        #expect(try await fixture.read() == someValue)
        await fixture.stop()
    }

    @Test func theLogIsTheOneThatRootSaysOrThatSystemdHasRead() throws {
        let folder = try TemporaryFolder()
        let (unit, own) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        try DurableFile.write(FirmwareLogMaker.log([.init(4, 1, unit)]), to: folder.path + "/boot-log", mode: 0o600)
        try DurableFile.write(FirmwareLogMaker.log([.init(4, 1, own)]), to: folder.path + "/own", mode: 0o600)
        var configuration = Configuration()
        #expect(try FirmwareLog(configuration, credentials: folder.path).read().get().events.map(\.digest) == [unit])
        configuration.bootLog = folder.path + "/own"
        #expect(try FirmwareLog(configuration, credentials: folder.path).read().get().events.map(\.digest) == [own])
    }
}
