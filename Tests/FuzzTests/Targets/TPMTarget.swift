import Authorization
import Cryptography
import Foundation
import Synchronization
import TestSupport
import Vault

@testable import TPM

/// Structures from a TPM, from the firmware, or from a file that claims to hold one.
enum TPMSamples {
    static let log: [UInt8] = {
        let digest = [UInt8](repeating: 5, count: 32)
        return FirmwareLogMaker.log(
            [
                .init(4, 0x8000_0003, digest, FirmwareLogMaker.image("/EFI/debian/shimx64.efi")), .init(7, 1, digest),
                .init(9, 13, digest, Array("(hd0,gpt2)/vmlinuz-6.1\0".utf8)),
            ], locality: 3)
    }()

    static let structures: [[UInt8]] = [
        log,
        PublicArea(
            .agreementKey, [], policy: [UInt8](repeating: 1, count: 32),
            unique: [[UInt8](repeating: 2, count: 32), [UInt8](repeating: 3, count: 32)]
        ).marshalled,
        NVPublicArea(handle: 0x01B0_C000, attributes: [], policy: [UInt8](repeating: 1, count: 32), size: 8).body,
    ]

    static func read(_ bytes: [UInt8]) throws {
        if let log = try answer({ try MeasurementLog(parsing: bytes) }) {
            _ = log.events.map(\.fileName)
            let selection = try PCRSelection(Set(0..<24))
            _ = try answer { try log.values(selection) }
            if let event = log.events.first {
                _ = try answer { try log.predicted(selection, replacing: [event.digest: event.data]) }
            }
        }
        if let area = try answer({ try PublicArea(marshalled: bytes) }) { _ = try answer { try area.point() } }
        _ = try answer { try NVPublicArea(body: bytes)?.name() }
        _ = try answer { try CStructures.publicArea(bytes) }
        _ = try answer { try CStructures.signature(bytes) }
        _ = try answer { try CStructures.point(bytes) }
        _ = try answer { try Certificate(der: bytes) }
        _ = try answer { try P256.PrivateKey(pem: SecretBytes(copying: bytes)) }
    }
}

/// A TPM whose answers somebody changes on the way.
struct TPMTarget: FuzzTarget {
    private let tpm: SWTPM
    private let tap: WireTap
    private let sealer: TPMSealer
    private let access: TPMAccess
    private let objects: SealedObjects
    private let record: RegistryRecord
    private let root: SecretBytes
    /// nil while answers pass unchanged.
    private let mutator: State

    private final class State: Sendable {
        let mutator = Mutex<Mutator?>(nil)
    }

    init() async throws {
        let tpm = try SWTPM()
        let state = State()
        tap = try WireTap(
            tpm,
            answer: { _, bytes in
                state.mutator.withLock { mutator in
                    guard mutator != nil, mutator?.chance(3) ?? false else { return }
                    var changed = mutator?.bytes(bytes) ?? bytes
                    guard changed.count >= 10 else { return }
                    changed = Array(changed.prefix(4096))
                    // An answer whose length is not the one that it states is a case of its own. It waits for the
                    // deadline.
                    let size = UInt32(changed.count)
                    for index in 0..<4 {
                        changed[2 + index] = UInt8(truncatingIfNeeded: size >> UInt32(24 - 8 * index))
                    }
                    bytes = changed
                }
            })
        self.tpm = tpm
        mutator = state
        access = TPMAccess(tap.configuration)
        sealer = TPMSealer(access)
        let key = try P256.PrivateKey.generate()
        let id = try VaultID.random()
        let keys = try sealer.makeKeys(vault: id, owner: .user(1000), authenticatorKey: key.publicKey)
        record = RegistryRecord(
            vault: id, owner: .user(1000), ownerName: "tester", created: 1, sealer: .tpm,
            authenticatorKey: key.publicKey, storageKey: keys.storageKey, counter: keys.counter, objects: keys.names,
            generation: keys.generation)
        objects = Dictionary(keys.objects.map { ($0.role, $0) }) { first, _ in first }
        root = keys.deviceRoot
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let own = mutator
        self.mutator.mutator.withLock { $0 = own }
        defer { self.mutator.mutator.withLock { $0 = nil } }
        switch mutator.below(5) {
        case 0:
            guard let counted = try answer({ try sealer.openCounted(objects, record: record) }) else { return }
            try promise(counted.deviceRoot == root, "another root was believed")
            try promise(counted.epoch == nil || counted.epoch == 1, "another count was believed")
        case 1: _ = try answer { try sealer.describe() }
        case 2: _ = try answer { try access.open().condition() }
        case 3:
            let selection = try PCRSelection([0, 4, 7, 23])
            _ = try answer { try access.open().measurements(selection) }
        default: _ = try answer { try access.open().endorsementCertificate(.ecc) }
        }
    }

    func end() async throws {
        // If lies have hidden what fills the TPM, the first try finds no room, and flushes it.
        let opened = try answer { try sealer.openDeviceRoot(objects, record: record) }
        try promise(try opened ?? sealer.openDeviceRoot(objects, record: record) == root, "the root is another one")
    }
}
