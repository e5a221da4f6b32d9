import Authorization
import BrokerProtocol

/// Does the TPM keep an index of Coffer's that no vault names? A power cut at the wrong moment can leave one. It is
/// worthless, but the TPM has little room.
enum TPMIndexCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard case .success(let condition) = facts.sealer, let pinned = facts.pinnedIndexes else { return [] }
        let own = condition.tpm.handles.ownIndexes.map(\.rawValue)
        let left = own.filter { !pinned.contains($0) }.map { "0x" + String($0, radix: 16) }
        guard !left.isEmpty else {
            return [Keychain.Finding(.tpmIndexes, .ok, "each of Coffer's indexes in the TPM belongs to a vault")]
        }
        // Only a note: the index may be in the making, or belong to another system on this machine.
        return [
            Keychain.Finding(
                .tpmIndexes, .note,
                "the TPM keeps \(left.count == 1 ? "an index" : "\(left.count) indexes") of Coffer that no vault of this system names: \(left.joined(separator: ", "))",
                advice:
                    "an interruption may have left it. Remove it only if no vault is being made or changed, no interrupted coffer rotate --all is to go on, and no other system on this machine uses Coffer: tpm2_nvundefine -C o \(left[0])"
            )
        ]
    }
}
