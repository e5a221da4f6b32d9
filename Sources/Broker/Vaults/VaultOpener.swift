import Authorization
import BrokerProtocol
import Platform
import Varlink
import Vault

/// Opens a vault: first the registry's record, then the file, then the device root. This blocks, so it runs on the
/// sealer's thread.
struct VaultOpener: Sendable {
    let owner: Owner
    let dependencies: VaultDependencies

    /// The registry's record, if it and the file agree that there is a vault.
    /// - Returns: nil if neither knows of a vault.
    /// - Throws: `Damaged` if only one of the two knows of a vault.
    func registered() throws(Fault) -> RegistryRecord? {
        do {
            let record = try dependencies.registry.record(for: owner)
            let file = try FileStatus.of(VaultFile.path(of: owner, in: dependencies.directory)) != nil
            // After a crash just after the registration, the file still has its first name.
            let newFile = try FileStatus.of(VaultFile.newPath(of: owner, in: dependencies.directory)) != nil
            guard let record else {
                if file {
                    let path = VaultFile.path(of: owner, in: dependencies.directory)
                    throw Self.missing(
                        "the vault \(path) has no record in the registry, so nothing can open it",
                        advice: Registry.restore(dependencies.registry.path(of: owner)))
                }
                return nil
            }
            guard file || newFile else {
                let path = VaultFile.path(of: owner, in: dependencies.directory)
                throw Self.missing(
                    "the vault's file \(path) is missing, and Coffer does not make a new one",
                    advice: Self.restore(path))
            }
            return record
        } catch let fault as Fault {
            throw fault
        } catch let error as RegistryError {
            throw Fault(error)
        } catch {
            throw Fault(.failed, "the broker cannot examine its own files")
        }
    }

    /// What to do about a vault's file that is missing. A broker that runs may have a file of this name open, and would
    /// write into what is copied over it.
    static func restore(_ path: String) -> String {
        "have root stop cofferd.socket and cofferd.service, restore \(path) from a backup, "
            + "and start cofferd.socket again"
    }

    /// Putting the missing part back heals this at once, so nobody remembers it as damage.
    private static func missing(_ message: String, advice: String) -> Fault {
        Fault(.damaged, Fault.Details(message: message, advice: advice, kind: Keychain.missing))
    }

    /// Refuses a vault if a broker ended while the registry was asked to name a successor. Changes written to the
    /// former vault in that moment would be lost.
    ///
    /// The vault must be open, because only its own note about the successor is believed.
    private func checkDecided(_ vault: OpenVault) throws(Fault) {
        // `try?`: a note that cannot be read counts as none.
        guard let offer = try? vault.succession?.offer, let boot = try? BootTime.bootID(), offer.boot == boot,
            offer.isOpen(at: BootTime.milliseconds)
        else { return }
        // `try?`: the file must not be used, even if it cannot be closed.
        try? vault.close()
        throw Faults.beingRenewed
    }

    /// - Parameter held: holds the vault's keys later.
    func open(_ held: HeldKeys) async -> Result<VaultActor.OpenState, Fault> {
        let result: Result<Result<VaultActor.OpenState, Fault>, SealerError>
        do throws(SealerError) {
            result = .success(
                try await dependencies.sealer.use { (sealer) throws(SealerError) in openNow(held, with: sealer) })
        } catch { result = .failure(error) }
        switch result {
        case .success(let opened): return opened
        case .failure(let error): return .failure(Fault(error))
        }
    }

    private func openNow(_ held: HeldKeys, with sealer: any Sealer) -> Result<VaultActor.OpenState, Fault> {
        do throws(Fault) {
            guard let record = try registered() else { throw Faults.notFound }
            let vault: OpenVault
            do throws(VaultError) {
                vault = try OpenVault(
                    directory: dependencies.directory, record: record, sealer: sealer, memory: dependencies.memory,
                    onChange: dependencies.itemObserver(for: owner, held))
            } catch { throw Fault(error) }
            try checkDecided(vault)
            return .success(VaultActor.OpenState(vault: vault, record: record, held: held))
        } catch { return .failure(error) }
    }
}

/// Sealed objects, and the record that says which ones they must be.
struct SealingMaterial: Sendable {
    let objects: SealedObjects
    let record: RegistryRecord
    /// Whether the vault is a successor that the registry does not name yet.
    var isSuccessor = false
}

/// Checks that the name service knows the owner by the name that the vault was made for. A user's name is remembered
/// for 30 seconds, because name services can be slow. A group's is not, because its members are looked up at every
/// call anyway.
struct OwnerCheck {
    private var name: String?
    private var validUntil = ContinuousClock.Instant.now

    /// - Parameter record: nil if there is no vault whose owner's name could be compared.
    mutating func check(_ owner: Owner, record: RegistryRecord?) throws(Fault) {
        guard let record else { return }
        let name = try self.name(of: owner)
        guard name == record.ownerName else {
            throw Fault(
                .notPermitted,
                "this vault was made for an account or group of another name that had this number",
                advice: "ask root about it"
            )
        }
    }

    /// - Throws: `NotPermitted` if no account has this uid; `NotFound` if no group has this gid.
    mutating func name(of owner: Owner) throws(Fault) -> String {
        if let name, validUntil > .now { return name }
        switch owner {
        case .user(let uid):
            let known: Account?
            do throws(SystemError) { known = try Account.withUID(uid) } catch { throw Faults.noNames }
            guard let known else {
                throw Fault(
                    .notPermitted, "your user number has no account on this machine, so it cannot have a vault")
            }
            name = known.name
            validUntil = .now + AccountLimits.ownerMemory
            return known.name
        case .group(let gid):
            let known: Group?
            do throws(SystemError) { known = try Group.withGID(gid) } catch { throw Faults.noNames }
            guard let known else { throw Faults.noGroupVault }
            return known.name
        }
    }
}
