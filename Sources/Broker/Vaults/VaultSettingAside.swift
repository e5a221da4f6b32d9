import Authorization
import BrokerProtocol
import Platform
import TPM
import Varlink
import Vault

/// Moves a vault's files out of the way, so that its owner can make a new vault and restore the old one's secrets into it. The files stay.
struct VaultSettingAside: Sendable {
    /// Root may know better, and force it.
    ///
    /// - Throws: unless this machine will not open the vault again.
    static func requireUseless(_ vaultActor: VaultActor) async throws(Fault) {
        do throws(Fault) {
            // The number of its owner is another's now, or nobody's, so nobody can use it.
            if try await isAnothers(vaultActor) { return }
            let state = try await vaultActor.opened()
            try await requireLostIndex(state.record, vaultActor)
        } catch {
            guard !isFinal(error) else { return }
            throw error
        }
    }

    private static func isAnothers(_ vaultActor: isolated VaultActor) throws(Fault) -> Bool {
        guard let record = try vaultActor.registered() else { return false }
        return try OwnerCheck.isAnothers(record)
    }

    /// The file opens with the device root alone. Its keys may depend on more.
    private static func requireLostIndex(_ record: RegistryRecord, _ vaultActor: VaultActor) async throws(Fault) {
        let condition: SealerCondition?
        do throws(SealerError) { condition = try await vaultActor.dependencies.sealer.inspect(record) } catch {
            throw Fault(error)
        }
        if let condition {
            guard condition.storageKey == .pinned else { return }
            let present = Set(condition.tpm.handles.ownIndexes.map(\.rawValue))
            guard present.isSuperset(of: record.indexHandles) else { return }
        }
        throw Fault(
            .notPermitted, "this machine opens that vault, so it was not set aside",
            advice: "leave it in its place; to set it aside all the same, add: --force")
    }

    /// Whether waiting and trying again cannot help.
    private static func isFinal(_ fault: Fault) -> Bool {
        switch (fault.name, fault.details.kind) {
        // All other items can be used.
        case (.damaged, Keychain.damagedItem): false
        case (.damaged, _): true
        case (.tpm, "replaced"), (.tpm, "boot-index"), (.tpm, "renewed"), (.tpm, "pin-index"), (.tpm, "tries-used-up"):
            true
        default: false
        }
    }

    /// - Returns: the time in the names of the files, and where the vault's file is now; nil if there was none.
    func perform(in vaultActor: isolated VaultActor) throws(Fault) -> (stamp: String, file: String?) {
        vaultActor.closeForSettingAside()
        let directory = vaultActor.dependencies.directory
        // `try?`: without the folder, no record was set aside.
        let records = (try? Folder.entries(vaultActor.dependencies.registry.setAsideDirectory)) ?? []
        let now = CivilCalendar.utc.fields(of: WallTime.now.seconds)
        let time = (now?.stampText ?? "").filter { $0 != ":" }
        do throws(VaultError) {
            return try VaultFile.setAside(vaultActor.owner, in: directory, at: time, records: records)
        } catch { throw Fault(error) }
    }
}
