import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// What is compared with what root knows, before anything is registered or signed.
@Suite struct ProposalTests {
    private static let now: Int64 = 1_700_000_000_000

    private let folder: TemporaryFolder
    private let keys: SigningKeys

    init() throws {
        folder = try TemporaryFolder()
        keys = try SigningKeys(directory: folder.path)
    }

    private static func name(_ byte: UInt8, count: Int = 34) -> [UInt8] {
        Array(([0, 11] + [UInt8](repeating: byte, count: 62)).prefix(count))
    }

    private static var objects: [ObjectRole: [UInt8]] {
        Dictionary(uniqueKeysWithValues: ObjectRole.ofNewVault.map { ($0, Self.name(UInt8($0.rawValue))) })
    }

    /// A new vault's record in a TPM, as an honest broker proposes it.
    private func proposal(
        vault: VaultID? = nil, owner: Owner = .user(1000), created: Int64 = Self.now, storage: [UInt8] = Self.name(9),
        context: Int = 1, counter: UInt32? = 0x01B0_C003, objects: [ObjectRole: [UInt8]] = Self.objects,
        isService: Bool = false, biometrySet: [UInt8]? = nil, generation: UInt32? = 0x01B0_C004
    ) throws -> RegistryRecord {
        RegistryRecord(
            vault: try vault ?? VaultID.random(), owner: owner, ownerName: "anybody", created: UInt64(created),
            sealer: .tpm, authenticatorKey: keys.present.publicKey,
            storageKey: StorageKeyPin(
                handle: 0x8100_0001, name: storage, context: [UInt8](repeating: 1, count: context)),
            counter: counter.flatMap { CounterPin(handle: $0, base: 0, context: [1]) }, objects: objects,
            isService: isService, biometrySet: biometrySet,
            generation: generation.flatMap { IndexPin(handle: $0, policy: [UInt8](repeating: 3, count: 32)) })
    }

    /// The record that would be registered; nil for a proposal that is refused.
    private func checked(_ proposal: RegistryRecord, owner: Owner = .user(1000)) -> RegistryRecord? {
        let provisioning = Provisioning(
            challenge: "c", owner: owner, ownerName: "ada", isService: false, maker: 1000, sealer: .tpm, keys: keys,
            registry: Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser))
        do throws(ConversationError) { return try provisioning.checked(proposal, now: Self.now) } catch { return nil }
    }

    @Test func aVaultInATPMIsRegisteredAsItWasAskedFor() throws {
        let honest = try proposal()
        let record = try #require(checked(honest))
        #expect(record.ownerName == "ada" && record.vault == honest.vault && record.maker == nil)
        #expect(record.storageKey == honest.storageKey && record.counter == honest.counter)
        #expect(record.generation == honest.generation && record.objects == honest.objects && !record.isService)
        let group = try proposal(owner: .group(50))
        #expect(checked(group, owner: .group(50))?.maker == 1000 && checked(group) == nil)
    }

    @Test func whatNoSuchVaultHasIsRefused() throws {
        var (short, twice, less) = (Self.objects, Self.objects, Self.objects)
        short[.presence] = Self.name(16, count: 33)
        twice[.presence] = twice[.passcode]
        less[.presence] = nil
        let lies: [RegistryRecord] = [
            try proposal(counter: nil), try proposal(generation: nil), try proposal(objects: short),
            try proposal(objects: twice), try proposal(objects: less), try proposal(isService: true),
            try proposal(biometrySet: [UInt8](repeating: 1, count: 32)),
            try proposal(vault: VaultID(bytes: [UInt8](repeating: 0, count: 16))),
        ]
        for (place, lie) in lies.enumerated() { #expect(checked(lie) == nil, "\(place)") }
    }

    @Test func aStorageKeyHasAWholeNameAndAContext() throws {
        for (count, isTaken) in [(33, false), (34, true), (35, false), (17, false), (64, false)] {
            let record = try proposal(storage: Self.name(9, count: count))
            #expect((checked(record) != nil) == isTaken, "\(count)")
        }
        for (count, isTaken) in [(0, false), (1, true), (4096, true), (4097, false)] {
            let record = try proposal(context: count)
            #expect((checked(record) != nil) == isTaken, "\(count)")
        }
    }

    @Test func aNewVaultIsMadeNow() throws {
        for (milliseconds, isTaken) in [
            (-600_000, false), (-599_999, true), (0, true), (599_999, true), (600_000, false),
        ] as [(Int64, Bool)] {
            let record = try proposal(created: Self.now + milliseconds)
            #expect((checked(record) != nil) == isTaken, "\(milliseconds)")
        }
    }

    /// The name of the refusal; nil if the record may be used.
    private func refusal(_ record: RegistryRecord, name: String, _ sealer: SealerKind) -> Fault.Name? {
        do throws(ConversationError) {
            try CheckedRequest.check(record, of: name, keys: keys, sealer: sealer)
            return nil
        } catch { return error.fault?.name }
    }

    @Test func aRecordIsTheOwnersThisAuthenticatorsAndThisMachines() throws {
        let record = try proposal()
        #expect(refusal(record, name: "anybody", .tpm) == nil)
        #expect(refusal(record, name: "ada", .tpm) == .authenticationFailed)
        #expect(refusal(record, name: "anybody", .software) == .authenticationMisconfigured)
        let other = RegistryRecord(
            vault: record.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: .tpm, authenticatorKey: try P256.PrivateKey.generate().publicKey, storageKey: record.storageKey,
            objects: record.objects)
        #expect(refusal(other, name: "anybody", .tpm) == .notCompleted)
    }

    // MARK: What a challenge describes

    private static func facts(_ purpose: Keychain.Purpose) -> BrokerInterface.Describe.Reply {
        BrokerInterface.Describe.Reply(owner: "user:0", purposes: [purpose], authorizations: [], alternatives: [])
    }

    @Test func aRenewalTellsAsManyMachinesAsACircleHas() throws {
        var facts = Self.facts(.rotate)
        facts.circle = Hex.encode(try CircleSample().circle.bytes)
        facts.machines = (0..<CircleLimits.heads).map { "m\($0)" }
        #expect(try RenewedCircle(facts)?.machines.count == CircleLimits.heads)
        facts.machines?.append("m")
        let tooMany = facts
        #expect(throws: ConversationError.self) { try RenewedCircle(tooMany) }
    }

    /// Twice the signature for a root would open more than the person is told.
    @Test func eachRootIsSignedForOnce() throws {
        func isTaken(_ kinds: [String], unlocks: Bool) -> Bool {
            let request = PersonRequest.use(.reading, unlocks: unlocks)
            do throws(ConversationError) {
                _ = try SignatureWays(kinds.map { .init(kind: $0) }, [Array(kinds.indices)], for: request)
                return true
            } catch { return false }
        }
        #expect(isTaken(["unlock", "presence"], unlocks: true) && isTaken(["presence"], unlocks: false))
        #expect(!isTaken(["unlock", "unlock", "presence"], unlocks: true))
        #expect(!isTaken(["presence", "presence"], unlocks: false))
    }

    /// PAM says of a finger what it would say of a password.
    @Test func aRefusedFingerIsToldAsOne() {
        typealias Reason = BrokerProtocol.Authentication.FailureReason
        for reason in [Reason.password, .tries] {
            let error = ConversationError.refused(.failed(reason, "no"))
            let told = ProofService.biometric.translated(error)
            #expect(told.reason == "biometry" && told.fault?.details.kind == "not-recognised", "\(told)")
            #expect(told.fault?.details.message?.hasPrefix("no enrolled finger was recognised") == true, "\(told)")
            for service in [ProofService.passcode, .anyFactor] { #expect(service.translated(error) == error) }
        }
        let fault = Fault(.authenticationMisconfigured, "no reader")
        let missing = ConversationError.refused(
            ConversationError.Refusal(fault: fault, reason: ConversationError.Refusal.unavailable))
        let told = ProofService.biometric.translated(missing)
        #expect(told.reason == "biometry" && told.fault?.details.kind == "unavailable", "\(told)")
        for error in [ConversationError.cancelled, .gone, .timedOut, .refused(.denied("no"))] {
            #expect(ProofService.biometric.translated(error) == error)
        }
    }
}
