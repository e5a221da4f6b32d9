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
    /// write into what is copied over it. A WAL of the former file would be replayed into the backup.
    static func restore(_ path: String) -> String {
        "have root stop cofferd.socket and cofferd.service, restore \(path) from a backup, "
            + "remove its -wal file, and start cofferd.socket again"
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

    /// Why the vault does not open. If its file and its record do not belong together, both paths are named, because
    /// nobody can tell which of the two is the older one.
    private func explained(_ error: VaultError, _ record: RegistryRecord) -> Fault {
        let path = VaultFile.path(of: owner, in: dependencies.directory)
        guard error.code == .damaged || error.code == .rollback, VaultFile.fit(path, record) == .differs else {
            return Fault(error)
        }
        return Self.missing(
            RescueWords.torn(path, dependencies.registry.path(of: owner)), advice: RescueWords.mendTorn(record))
    }

    /// Whether the vault's file and its record were found not to belong together.
    func isTorn(_ fault: Fault) -> Bool {
        let path = VaultFile.path(of: owner, in: dependencies.directory)
        return fault.details.message == RescueWords.torn(path, dependencies.registry.path(of: owner))
    }

    /// What the vault's file and its record are now; nil if one of them is missing.
    var parts: [FileStatus]? {
        let paths = [VaultFile.path(of: owner, in: dependencies.directory), dependencies.registry.path(of: owner)]
        var parts: [FileStatus] = []
        for path in paths {
            // `try?`: what cannot be looked at counts as missing.
            guard let part = (try? FileStatus.of(path)) ?? nil else { return nil }
            parts.append(part)
        }
        return parts
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
                    directory: dependencies.directory, record: record, sealer: sealer, now: dependencies.wall,
                    memory: dependencies.memory,
                    onChange: dependencies.itemObserver(for: owner, held))
            } catch { throw explained(error, record) }
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

/// Checks that the name service knows the owner by the name that the vault was made for.
///
/// A user's name is remembered for 30 seconds, because name services can be slow. It is forgotten at once when the
/// machine's own list of accounts changes, because its number may then be another person's. A group's name is not
/// remembered, because its members are looked up at every call anyway.
struct OwnerCheck {
    /// The machine's own list of accounts (passwd(5)).
    private let accounts: String
    private let account: @Sendable (UInt32) throws(SystemError) -> Account?
    private var name: String?
    private var validUntil = ContinuousClock.Instant.now
    /// The list when the name was looked up; nil if there was none.
    private var list: FileStatus?

    /// - Parameter account: asks the name service; may block.
    init(
        accounts: String = "/etc/passwd",
        account: @escaping @Sendable (UInt32) throws(SystemError) -> Account? = { (uid) throws(SystemError) in
            try Account.withUID(uid)
        }
    ) {
        self.accounts = accounts
        self.account = account
    }

    /// - Parameter record: nil if there is no vault whose owner's name could be compared.
    mutating func check(_ owner: Owner, record: RegistryRecord?) throws(Fault) {
        guard let record else { return }
        let name = try self.name(of: owner)
        guard name == record.ownerName else { throw Faults.otherName(owner) }
    }

    /// - Throws: `NotPermitted` if no account has this uid; `NotFound` if no group has this gid.
    mutating func name(of owner: Owner) throws(Fault) -> String {
        switch owner {
        case .user(let uid):
            // Before the name is asked for: a change in between is then noticed at the next call.
            let present = presentList
            if let name, validUntil > .now, list == present { return name }
            guard let known = try look(uid) else {
                throw Fault(
                    .notPermitted, "your user number has no account on this machine, so it cannot have a vault")
            }
            (name, list) = (known.name, present)
            validUntil = .now + AccountLimits.ownerMemory
            return known.name
        case .group(let gid):
            let known: Group?
            do throws(SystemError) { known = try Group.withGID(gid) } catch { throw Faults.noNames }
            guard let known else { throw Faults.noGroupVault }
            return known.name
        }
    }

    private func look(_ uid: UInt32) throws(Fault) -> Account? {
        do throws(SystemError) { return try account(uid) } catch { throw Faults.noNames }
    }

    /// `try?`: a list that cannot be looked at counts as none, as on a machine whose accounts are all elsewhere.
    private var presentList: FileStatus? { (try? FileStatus.following(accounts)) ?? nil }
}

extension OwnerCheck {
    /// Whether the vault was made for another name than the one that its owner's number has now, or for a number that
    /// nobody has now.
    ///
    /// - Throws: `Failed` if the name service does not answer.
    static func isAnothers(_ record: RegistryRecord) throws(Fault) -> Bool {
        do throws(SystemError) {
            let present: String?
            switch record.owner {
            case .user(let uid): present = try Account.withUID(uid)?.name
            case .group(let gid): present = try Group.withGID(gid)?.name
            }
            return present != record.ownerName
        } catch { throw Faults.noNames }
    }
}
