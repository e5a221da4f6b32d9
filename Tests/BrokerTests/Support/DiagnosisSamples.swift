import Authorization
import Platform
import RootConfiguration
import Vault

@testable import Broker
@testable import TPM

extension DiagnosisFacts {
    /// What is known of a broker that runs as its unit says, and of nothing else.
    static func sample(
        _ configuration: Configuration = Configuration(), owner: Owner = .user(OwnProcess.effectiveUser),
        process: BrokerProcess = .asItsUnitSays, now: UInt64 = 1_790_000_000_000
    ) -> DiagnosisFacts {
        let user = OwnProcess.effectiveUser
        return DiagnosisFacts(
            configuration: configuration, owner: owner, authenticatorUID: user, brokerUID: user, process: process,
            now: now)
    }
}

extension BrokerProcess {
    /// A process with every protection of the unit file.
    static let asItsUnitSays = BrokerProcess(
        isUnit: true, status: ["NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000", "CapBnd": "0000"],
        coreLimit: ["0", "0"], swapLimit: "0", users: "0 0 4294967295", seesOtherProcesses: true,
        tunables: "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", backtrace: "enable=no")
}

extension RegistryRecord {
    static let counterHandle: UInt32 = 0x01B0_C000
    static let generationHandle: UInt32 = 0x01B0_C001
    static let bindingHandle: UInt32 = 0x01B0_C002
    static let bootHandle: UInt32 = 0x01B0_C003

    /// The record of a vault that a TPM seals, with a counter and a generation.
    static func tpmSample(_ owner: Owner, created: UInt64 = 1, name: String = "ada") throws -> RegistryRecord {
        let names = Dictionary(
            uniqueKeysWithValues: ObjectRole.ofNewVault.map { ($0, [UInt8](repeating: 2, count: 34)) })
        return RegistryRecord(
            vault: try .random(), owner: owner, ownerName: name, created: created, sealer: .tpm,
            authenticatorKey: [UInt8](repeating: 3, count: 65),
            storageKey: StorageKeyPin(handle: 0x8100_0001, name: [UInt8](repeating: 4, count: 34), context: [1]),
            counter: CounterPin(handle: counterHandle, base: 1, context: [1]), objects: names,
            generation: GenerationPin(handle: generationHandle, policy: [UInt8](repeating: 1, count: 32)))
    }

    /// The same record, bound to a password and tied to these registers.
    func boundAndTied(to registers: [Int] = BootPin.standardRegisters) -> RegistryRecord {
        let policy = [UInt8](repeating: 1, count: 32)
        let binding = IndexPin(handle: Self.bindingHandle, policy: policy).flatMap {
            BindingPin(index: $0, salt: [UInt8](repeating: 2, count: BindingPin.saltCount))
        }
        let boot = IndexPin(handle: Self.bootHandle, policy: policy).flatMap {
            BootPin(index: $0, registers: registers)
        }
        return with(binding: binding, unlockRoot: objects[.unlockRoot] ?? [])
            .with(boot: boot, names: [.approvingKey: [UInt8](repeating: 3, count: 34)])
    }
}

extension SealerCondition {
    /// The condition of a TPM that lacks nothing, but for what is said.
    ///
    /// - Parameter room: how many more counters the TPM says that it has room for; nil if it does not tell.
    static func sample(
        revision: UInt32 = 138, lacksPINs: Bool = false, lacksPolicies: Bool = false, hasOwnerPassword: Bool = false,
        isLockedOut: Bool = false, indexes: [UInt32] = [], objects: UInt32 = 3, sessions: UInt32 = 60,
        room: UInt32? = nil, storageKey: StorageKeyStanding? = .pinned
    ) -> SealerCondition {
        let variable = room.map { [0x20B: $0] as [UInt32: UInt32] } ?? [:]
        return SealerCondition(
            tpm: TPMCondition(
                description: TPMDescription([0x105: 0x4942_4D00, 0x106: 0x5357_2020]), revision: revision,
                firmware: "1 2",
                passwords: TPMCondition.Passwords(owner: hasOwnerPassword, endorsement: false, lockout: false),
                lockout: TPMCondition.Lockout(
                    isActive: isLockedOut, failures: 3, allowedFailures: 3, secondsPerFailure: 600,
                    secondsOfRecovery: 0),
                handles: TPMCondition.Handles(
                    nvIndexes: indexes, persistent: [], transient: [], sessions: [], roomForTransient: objects,
                    roomForPersistent: 1, roomForSessions: sessions),
                nvRoom: NVRoom(fixed: [:], variable: variable), supportsPINIndexes: !lacksPINs,
                supportsPolicyIndexes: !lacksPolicies),
            storageKey: storageKey)
    }
}
