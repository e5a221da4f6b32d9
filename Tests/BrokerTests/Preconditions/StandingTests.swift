import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Which calls are for a vault's own person, which for root and a service, and what state of the vault they take.
@Suite(.timeLimit(.minutes(10)))
struct StandingTests {
    private func name(_ body: () async throws(Fault) -> Void) async -> Fault.Name? {
        do throws(Fault) {
            try await body()
            return nil
        } catch { return error.name }
    }

    @Test("a recovery code and a tie to the boot are for one's own vault; members of a group renew no keys")
    func persons() async throws {
        let fixture = try VaultFixture()
        for (standing, isOwn, renews) in [
            (Standing.own, true, true), (.member, false, false), (.root, false, true),
        ] {
            let request = try fixture.request(standing: standing)
            let refused = Fault.Name.notPermitted
            let recovery = await name { () throws(Fault) in try RecoveryPrecondition.check(request) }
            #expect(recovery == (isOwn ? nil : refused), "\(standing)")
            let boot = await name { () throws(Fault) in try BootPrecondition.check(request) }
            #expect(boot == (isOwn ? nil : refused), "\(standing)")
            let rotation = await name { () throws(Fault) in try RotationPrecondition.check(request) }
            #expect(rotation == (renews ? nil : refused), "\(standing)")
        }
    }

    @Test("what carries files takes an unlocked vault that is no group's")
    func carrying() async throws {
        let fixture = try VaultFixture()
        for standing in [Standing.own, .root] {
            for (condition, refusal) in [
                (VaultCondition.unlocked, nil), (.locked, .locked), (.sealed, .locked),
            ] as [(VaultCondition, Fault.Name?)] {
                let request = try fixture.request(standing: standing, condition)
                let found = await name { () throws(Fault) in try SharingPrecondition.checkUnlocked(request) }
                #expect(found == refusal)
                let told = await name { () throws(Fault) in try SharingPrecondition.check(request) }
                #expect(told == nil)
            }
        }
        let group = try fixture.request(standing: .member)
        let found = await name { () throws(Fault) in try SharingPrecondition.checkUnlocked(group) }
        let told = await name { () throws(Fault) in try SharingPrecondition.check(group) }
        #expect(found == .notPermitted && told == .notPermitted)
    }

    @Test("a person decides who shares their vault, and root of a service's, whose own account does not")
    func deciding() async throws {
        let fixture = try VaultFixture()
        let (person, service) = (try await fixture.make(1), try await fixture.make(2, isService: true))
        func decides(_ request: Request) async -> Fault.Name? {
            await name { () async throws(Fault) in try await SharingPrecondition.checkDecides(request) }
        }
        func decidesUnlocked(_ request: Request) async -> Fault.Name? {
            await name { () async throws(Fault) in try await SharingPrecondition.checkDecidesUnlocked(request) }
        }
        func answers(_ request: Request) async -> Fault.Name? {
            await name { () async throws(Fault) in try await SharingPrecondition.checkPersons(request) }
        }
        let own = try fixture.request(1)
        #expect(await decides(own) == nil)
        #expect(await decidesUnlocked(own) == nil)
        #expect(await answers(own) == nil)
        let locked = try fixture.request(1, .locked)
        #expect(await decides(locked) == nil)
        #expect(await decidesUnlocked(locked) == .locked)
        #expect(await answers(locked) == .locked)
        let account = try fixture.request(2)
        #expect(await decides(account) == .notPermitted)
        #expect(await decidesUnlocked(account) == .notPermitted)
        let root = try fixture.request(2, standing: .root)
        #expect(await decides(root) == nil)
        #expect(await decidesUnlocked(root) == nil)
        // There is nobody at that machine who could answer for a secret.
        #expect(await answers(root) == .notPermitted)
        let member = try fixture.request(1, standing: .member)
        #expect(await decides(member) == .notPermitted)
        // Without a vault there is no record that could tell.
        let missing = try fixture.request(3, .none)
        #expect(await decides(missing) == nil)
        for vaultActor in [person, service] { await vaultActor.close() }
    }

    @Test("who begins to share without a vault is asked to make one, and whose vault is locked is not asked")
    func beginning() async throws {
        let fixture = try VaultFixture()
        let person = try await fixture.make(1)
        func made(_ request: Request) async -> Fault.Name? {
            await name { () async throws(Fault) in try await SharingPrecondition.checkMade(request) }
        }
        let (open, locked) = (try fixture.request(1), try fixture.request(1, .locked))
        let (missing, group) = (try fixture.request(3, .none), try fixture.request(1, standing: .member))
        #expect(await made(open) == nil)
        #expect(await made(locked) == .locked)
        #expect(await made(missing) == .authenticationRequired)
        #expect(await made(group) == .notPermitted)
        await person.close()
    }
}

/// What a change of a vault's roots takes of the vault, and of the challenge that released them.
struct RootsPreconditionTests {
    private let vault: VaultID
    private let pin: IndexPin

    init() throws {
        vault = try VaultID.random()
        pin = try #require(IndexPin(handle: 0x0180_0000, policy: [UInt8](repeating: 1, count: 32)))
    }

    private func record(_ sealer: SealerKind = .tpm, isService: Bool = false) -> RegistryRecord {
        RegistryRecord(
            vault: vault, owner: .user(1), ownerName: "x", created: 1, sealer: sealer, authenticatorKey: [],
            storageKey: nil, objects: [:], isService: isService)
    }

    private func challenge(_ request: Challenge.Request, _ vault: VaultID? = nil) -> Challenge {
        Challenge(
            id: "c", uid: 1, owner: .user(1), process: .init(pid: 7, startTime: 70), vault: vault ?? self.vault,
            reason: nil, enrolled: [], life: ChallengeLife(request), expires: .now)
    }

    private func refusal(_ body: () throws(Fault) -> Void) -> Fault? {
        do throws(Fault) {
            try body()
            return nil
        } catch { return error }
    }

    @Test("a vault is bound once, unbound or bound anew only if it is bound, and by a challenge about these keys")
    func binding() throws {
        let salt = [UInt8](repeating: 2, count: BindingPin.saltCount)
        let bound = record().with(binding: BindingPin(index: pin, salt: salt), unlockRoot: [1])
        func found(_ record: RegistryRecord, _ challenge: Challenge) -> Fault? {
            refusal { () throws(Fault) in try BindingPrecondition.check(record, for: challenge) }
        }
        #expect(found(record(), challenge(.vault(.bind))) == nil)
        #expect(found(bound, challenge(.vault(.bind))) == Faults.challengeRefused)
        for request in [Challenge.Request.vault(.unbind), .vault(.unlock)] {
            #expect(found(bound, challenge(request)) == nil)
            #expect(found(record(), challenge(request)) == Faults.challengeRefused)
        }
        let other = try VaultID.random()
        #expect(found(record(), challenge(.vault(.bind), other)) == Faults.challengeRefused)
        #expect(found(record(.software), challenge(.vault(.bind)))?.name == .invalidArgument)
    }

    @Test("a vault is tied once and released only if it is tied; a TPM seals it, and a person can approve a boot")
    func tying() throws {
        let boot = try #require(BootPin(index: pin, registers: [4, 7]))
        let tied = record().with(boot: boot, names: [:])
        func found(_ record: RegistryRecord, _ challenge: Challenge) -> Fault? {
            refusal { () throws(Fault) in try BootPrecondition.check(record, for: challenge) }
        }
        #expect(found(record(), challenge(.tieToBoot(registers: [7]))) == nil)
        #expect(found(tied, challenge(.tieToBoot(registers: [7]))) == Faults.challengeRefused)
        #expect(found(tied, challenge(.vault(.releaseFromBoot))) == nil)
        #expect(found(record(), challenge(.vault(.releaseFromBoot))) == Faults.challengeRefused)
        let other = try VaultID.random()
        #expect(found(record(), challenge(.tieToBoot(registers: [7]), other)) == Faults.challengeRefused)
        for refused in [record(.software), record(isService: true)] {
            #expect(found(refused, challenge(.tieToBoot(registers: [7])))?.name == .invalidArgument)
        }
    }

    @Test("a tie that keeps nobody out is made only if it is meant, and the refusal says why")
    func weak() {
        func found(_ line: Keychain.BootCoverage.Part, isMeant: Bool) -> Fault? {
            let coverage = Keychain.BootCoverage(
                registers: [4, 7], commandLine: line, initrd: .held, changesWithMenu: false, reason: "no log is kept")
            return refusal { () throws(Fault) in try BootPrecondition.check(coverage, isWeakMeant: isMeant) }
        }
        for line in [Keychain.BootCoverage.Part.held, .open, .unknown] {
            #expect(found(line, isMeant: true) == nil)
            #expect((found(line, isMeant: false) == nil) == (line == .held))
        }
        let open = found(.open, isMeant: false)
        #expect(open?.details.message?.hasPrefix("nothing in registers 4, 7 holds") == true)
        let unknown = found(.unknown, isMeant: false)
        #expect(unknown?.details.message?.hasSuffix("no log is kept") == true)
        #expect(unknown?.details.advice == "to tie the vault all the same, add: --weak")
    }
}
