import Coffer
import FoundationEssentials

/// A vault in memory. A copy is changed and then put in the place of the vault, so that changes are made all or not at all.
struct MemoryVault: Sendable {
    let name: VaultName
    var state: VaultStatus.State
    /// Whether it is bound to the login password.
    let isBound: Bool
    private(set) var items: [ItemName: MemoryItem] = [:]

    init(_ name: VaultName, state: VaultStatus.State, isBound: Bool) {
        self.name = name
        self.state = state
        self.isBound = isBound
    }

    /// - Throws: `.notFound`.
    func item(_ name: ItemName) throws(KeychainError) -> MemoryItem {
        guard let item = items[name] else { throw .noSuchItem(name) }
        return item
    }

    /// An item that has not expired.
    /// - Throws: `.notFound`.
    func live(_ name: ItemName, at now: Int64) throws(KeychainError) -> MemoryItem {
        let item = try item(name)
        guard !item.value.isExpired(at: now) else { throw item.expired }
        return item
    }

    /// - Returns: the item with the name of its new state.
    @discardableResult
    mutating func put(_ item: MemoryItem) -> MemoryItem {
        var item = item
        item.revision = MemoryRevision.random()
        items[item.name] = item
        return item
    }

    mutating func remove(_ name: ItemName) { items[name] = nil }

    /// Gives an item another name.
    /// - Throws: as ``checkName(_:for:)``.
    mutating func rename(_ item: MemoryItem, to name: ItemName, at now: Int64) throws(KeychainError) -> MemoryItem {
        try checkName(name, for: item)
        guard name != item.name else { return item }
        var renamed = item
        renamed.name = name
        renamed.modified = now
        // A person is asked by name, so such a value is sealed anew.
        if !item.value.access.requirements.isEmpty { renamed.reseal(at: now) { _ in } }
        remove(item.name)
        return put(renamed)
    }

    /// - Throws: `.alreadyExists` if another item has the name; `.invalidArgument`, `.limitExceeded`.
    func checkName(_ name: ItemName, for item: MemoryItem) throws(KeychainError) {
        try ItemCheck.name(name)
        guard name.itemClass == item.name.itemClass else {
            throw KeychainError(.invalidArgument, "an item keeps its class")
        }
        guard items[name].map({ $0.id == item.id }) ?? true else {
            throw KeychainError(
                .alreadyExists, "an item of that name exists already",
                advice: "choose another name")
        }
        guard name.itemClass != .setting else { throw KeychainError(.invalidArgument, "a setting keeps its name") }
    }

    /// Refuses what an item of this vault cannot require.
    func check(_ access: AccessControl, _ biometrics: Biometrics) throws(KeychainError) {
        let access = try access.checked
        let fingers: Set<AccessControl.Requirement> = [.biometryAny, .biometryCurrentSet]
        switch name {
        case .own: break
        case .group:
            guard !access.requirements.contains(.biometryCurrentSet), access.accessibility != .passcodeSet else {
                throw KeychainError(.invalidArgument, "this depends on one person, and a group's vault has none")
            }
        case .account:
            guard access.requirements.isSubset(of: [.applicationPassword]), access.accessibility != .passcodeSet else {
                throw KeychainError(
                    .invalidArgument, "in a service vault nobody can be asked, so the item could never be read")
            }
        }
        guard access.accessibility != .passcodeSet || isBound else {
            throw KeychainError(
                .invalidArgument, "“passcode-set” needs a vault that is bound to the login password",
                advice: "bind this one with: coffer unlock --bind")
        }
        if !access.requirements.isDisjoint(with: fingers), let reason = biometrics.unavailableReason {
            throw KeychainError(biometrics.refusal, reason, advice: "require presence instead")
        }
    }

    /// Refuses an application password that does not fit the access control of a value that is sealed with it. An access
    /// control that another requirement meets as well still takes it.
    static func check(
        _ access: AccessControl, hasPassword password: [UInt8]?
    ) throws(KeychainError) {
        try check(access, givesPassword: password != nil)
        if let password { try ItemCheck.applicationPassword(password) }
    }

    static func check(_ access: AccessControl, givesPassword: Bool) throws(KeychainError) {
        guard access.requirements.contains(.applicationPassword) != givesPassword else { return }
        throw givesPassword ? .noApplicationPassword : .applicationPasswordNeeded
    }

    /// - Parameter deletes: whether the item goes, which may have expired.
    /// - Throws: if the condition is not met by the item, which may be absent or expired.
    static func check(
        _ condition: ItemChange.Condition, _ name: ItemName, _ old: MemoryItem?, deletes: Bool = false, at now: Int64
    ) throws(KeychainError) {
        let live = old.flatMap { $0.value.isExpired(at: now) ? nil : $0 }
        switch condition {
        case .none: break
        case .isAbsent:
            guard live == nil else { throw KeychainError(.alreadyExists, "the item exists already") }
        case .isPresent:
            guard live != nil else { throw old?.expired ?? .noSuchItem(name) }
        case .isUnchanged(let revision):
            guard (deletes ? old : live)?.revision == revision else {
                throw KeychainError(
                    .changedMeanwhile, "\(name) was changed or deleted meanwhile", advice: "look at it again")
            }
        }
    }
}

extension KeychainError {
    static func noSuchItem(_ name: ItemName) -> KeychainError {
        KeychainError(.notFound, "\(name): there is no such item")
    }

    static let noApplicationPassword = KeychainError(
        .invalidArgument, "this item has no application password", advice: "leave it out")

    static let applicationPasswordNeeded = KeychainError(
        .applicationPasswordNeeded, "this item needs its application password")

    static let vaultIsLocked = KeychainError(
        .locked, "your vault is locked", advice: "open it with: coffer unlock")

    static let requestIsOutdated = KeychainError(
        .requestOutdated, "the item or the vault changed while the person was asked", advice: "try again")
}
