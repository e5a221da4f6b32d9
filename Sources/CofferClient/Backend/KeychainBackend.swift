import Platform

/// Where the items of a ``Keychain`` are: in the broker's vaults, or in memory for tests.
///
/// Applications use ``Keychain``. They choose another backend only in tests.
///
/// ```swift
/// let keychain = Keychain(service: "com.example.app", backend: InMemoryKeychain(person: .answers("sandbox")))
/// ```
public protocol KeychainBackend: Sendable {
    /// Reads items, all or none. If any of them needs a person, one prompt names all of them.
    /// - Throws: `.notFound`, `.locked`, `.authenticationNeeded`, `.cancelled` and the errors of authentication.
    func read(_ items: [ItemName], _ request: ReadRequest, in vault: VaultName) async throws(KeychainError) -> [Item]

    /// Reads one item, and has its value as long as the body runs. A backend overwrites the value after that, if it can.
    /// - Throws: as ``read(_:_:in:)``, and what the body throws.
    func withValue<Result: Sendable>(
        of item: ItemName, _ request: ReadRequest, in vault: VaultName,
        _ body: (Span<UInt8>) throws(KeychainError) -> Result
    ) async throws(KeychainError) -> Result

    /// Reads fields of one item, all or none, in this order. One prompt names all of them, if the backend can do that.
    /// - Throws: as ``read(_:_:in:)``; `.notFound` for a field that the item has not.
    func read(
        _ fields: [FieldName], of item: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item]

    /// Stores one item. Nobody is asked, unless the vault does not exist yet. If the item has other fields with an
    /// application password, one of them is opened to check the password, which asks as reading it does.
    /// - Throws: as ``apply(_:prompts:in:)``; for such a field as ``read(_:_:in:)``.
    func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes

    /// Makes changes, all or none. Nobody is asked, unless the vault does not exist yet. No change stores a field of an
    /// item whose other fields have an application password: that is `.invalidArgument`.
    /// - Returns: one outcome for each change.
    /// - Throws: `.changedMeanwhile`, `.alreadyExists`, `.notFound`, `.invalidArgument`, `.limitExceeded`.
    func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome]

    /// The same, and says when an older copy of the vault's file can no longer undo the changes. A backend that has no such copies need not implement
    /// this.
    func apply(
        _ changes: [ItemChange], protection: RollbackProtection, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome]

    /// Deletes all items of a service, in one transaction if the backend can. Nobody is asked.
    /// - Parameter itemClass: nil for items of every class but settings.
    /// - Returns: how many there were.
    func deleteItems(of service: String, itemClass: ItemClass?, in vault: VaultName) async throws(KeychainError) -> Int

    /// Changes an item without its value. A change of access control asks as reading does.
    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes

    /// The same, on a condition. A backend that need not keep other programs out need not implement this.
    /// - Parameter condition: `.isUnchanged`, or none. A change of access takes none.
    /// - Throws: `.changedMeanwhile`; otherwise as ``edit(_:_:_:in:)``.
    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition,
        in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes

    /// Gives an item another name. If the item has requirements, this asks as reading does.
    func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes

    /// The attributes of the items that match, sorted by service, then account.
    func items(matching query: ItemQuery, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes]

    /// Whether there is such an item, and it has not expired.
    func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool

    /// Also finds an item that has expired and is still in the vault.
    /// - Throws: `.notFound`.
    func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes

    /// The values that an item had before, the newest first.
    func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion]

    /// Makes a former value the present one. Asks as reading that value does.
    func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes

    /// Whether the vault is unlocked, and what seals it. Nobody is asked.
    /// - Throws: `.brokerUnreachable`.
    func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus

    /// Locks the vault at once.
    func lock(_ vault: VaultName) async throws(KeychainError)

    /// Opens the vault, which asks the person. Makes it if there is none.
    func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError)

    /// Whether fingers can be asked for.
    func biometrics() async throws(KeychainError) -> Biometrics

    /// What happens to the vault from now on, as far as the caller may see it.
    /// - Parameter service: nil for all services.
    func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error>

    /// The same for items of one class. Only who names settings hears of them.
    func events(
        of service: String?, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error>

    /// With which machines the vault shares its items. Nobody is asked.
    func sharing(in vault: VaultName) async throws(KeychainError) -> SharingState

    /// How far an item has come on its way to the other machines. Nobody is asked.
    /// - Throws: `.notFound`.
    func sharing(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemSharing

    /// What several machines have changed at the same time. The vault must be unlocked. Nobody is asked.
    /// - Throws: `.locked`.
    func conflicts(in vault: VaultName) async throws(KeychainError) -> [ItemConflict]

    /// The value of one revision of a field that is in conflict.
    /// - Throws: `.changedMeanwhile` if it is no longer one of several; `.locked`.
    func read(
        _ revision: String, of conflict: ItemConflict, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [UInt8]

    /// Ends a conflict for all machines: they show this revision from then on. Nobody is asked.
    /// - Throws: `.changedMeanwhile` if it is no longer one of several; `.locked`.
    func resolve(
        _ conflict: ItemConflict, taking revision: String, in vault: VaultName
    ) async throws(KeychainError)
}

extension KeychainBackend {
    /// Reads the item, and overwrites the copy that was read.
    public func withValue<Result: Sendable>(
        of item: ItemName, _ request: ReadRequest, in vault: VaultName,
        _ body: (Span<UInt8>) throws(KeychainError) -> Result
    ) async throws(KeychainError) -> Result {
        guard var value = try await read([item], request, in: vault).first?.value else {
            throw KeychainError(.protocolViolation, "the backend gave no item")
        }
        defer { Wipe.bytes(&value) }
        return try body(value.span)
    }

    /// Reads one field after the other.
    public func read(
        _ fields: [FieldName], of item: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        var items: [Item] = []
        for field in fields {
            var request = request
            request.field = field
            items += try await read([item], request, in: vault)
        }
        return items
    }

    /// Makes the changes without a difference in protection.
    public func apply(
        _ changes: [ItemChange], protection: RollbackProtection, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        try await apply(changes, prompts: prompts, in: vault)
    }

    /// Looks at the item, and then changes it. Another program may come between the two.
    public func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition,
        in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        if case .isUnchanged(let revision) = condition {
            try edit.checkCondition()
            let present: ItemAttributes?
            do throws(KeychainError) { present = try await attributes(of: item, in: vault) } catch {
                guard error.code == .notFound else { throw error }
                present = nil
            }
            guard present?.revision == revision else {
                throw KeychainError(
                    .changedMeanwhile, "\(item) was changed or deleted meanwhile", advice: "look at it again")
            }
        }
        return try await self.edit(item, edit, request, in: vault)
    }

    /// Lists the items, and deletes as many as one request takes, until there is none.
    public func deleteItems(
        of service: String, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> Int {
        var count = 0
        // Another program may add items meanwhile, and one request takes only so many.
        do throws(KeychainError) {
            while true {
                let items = try await items(matching: ItemQuery(service: service, itemClass: itemClass), in: vault)
                guard !items.isEmpty else { return count }
                let changes = items.prefix(ChangeLimits.changes).map { ItemChange($0.name, .delete) }
                count += try await apply(changes, prompts: .never, in: vault).count { $0.existedBefore }
            }
        } catch {
            guard count > 0 else { throw error }
            throw KeychainError(
                error.code, "\(error.message), and \(count) items are deleted already",
                advice: "call it again to delete the rest", tpmCode: error.tpmCode, cause: error.cause)
        }
    }
}

/// What a read brings besides the names of items.
public struct ReadRequest: Sendable, Hashable {
    /// Why the program asks, in its own words. The prompt shows it, and the access log has it. At most 512 bytes in UTF-8.
    public var reason: String?
    /// How the person is asked, if the read needs one.
    public var prompts: Prompts
    /// Whether a locked vault may be opened on the way, by the same prompt. Otherwise the error is `.locked`.
    public var mayUnlock: Bool
    /// The item's own password, if it has one. Only for a read of one item.
    public var applicationPassword: [UInt8]?
    /// The number of a former value. Only for a read of one item; nil for the present value.
    public var version: Int?
    /// The field that is read. nil: ``FieldName/secret``, or the field of the version.
    public var field: FieldName?
    /// Whether the caller asks for another program, which is not within the caller's leases.
    package var forOthers = false

    /// What a read brings. Everything may be left out.
    /// ```swift
    /// let quiet = ReadRequest(prompts: .never, mayUnlock: false)
    /// ```
    public init(
        reason: String? = nil, prompts: Prompts = .automatic, mayUnlock: Bool = true,
        applicationPassword: [UInt8]? = nil, version: Int? = nil
    ) {
        self.reason = reason
        self.prompts = prompts
        self.mayUnlock = mayUnlock
        self.applicationPassword = applicationPassword
        self.version = version
    }

    /// The request for the only one of these fields; nil if a call for several has to read them. Such a call takes
    /// neither an application password nor a version.
    package func single(of fields: [FieldName]) -> ReadRequest? {
        guard fields.count == 1 || applicationPassword != nil || version != nil else { return nil }
        var request = self
        request.field = fields.first
        return request
    }
}

/// What to look for among the items.
public struct ItemQuery: Sendable, Hashable {
    /// nil: all services.
    public var service: String?
    /// nil: all accounts. At most 32, and only together with a service.
    public var accounts: [String]?
    /// nil: all classes but settings.
    public var itemClass: ItemClass?
    /// Service, account, label or comment contains it, in upper or lower case.
    public var text: String?
    /// The item has all of these.
    public var attributes: [String: String]

    /// A query for the items that have everything that is named here.
    /// ```swift
    /// let query = ItemQuery(service: "com.example.app", attributes: ["server": "db1"])
    /// ```
    public init(
        service: String? = nil, accounts: [String]? = nil, itemClass: ItemClass? = nil, text: String? = nil,
        attributes: [String: String] = [:]
    ) {
        self.service = service
        self.accounts = accounts
        self.itemClass = itemClass
        self.text = text
        self.attributes = attributes
    }
}

extension ItemQuery {
    /// - Throws: `.invalidArgument` for accounts of no service, `.limitExceeded` for too many.
    package func checkAccounts() throws(KeychainError) {
        guard let accounts else { return }
        guard service != nil else {
            throw KeychainError(
                .invalidArgument, "accounts are of a service, and the query names none", advice: "name the service")
        }
        guard accounts.count <= CallLimits.listedAccounts else {
            throw KeychainError(
                .limitExceeded, "one query has \(CallLimits.listedAccounts) accounts at most",
                advice: "list the whole service")
        }
    }
}

extension ItemEdit {
    /// - Throws: `.invalidArgument` for a change of access, which no condition is for.
    package func checkCondition() throws(KeychainError) {
        guard access == nil else {
            throw KeychainError(
                .invalidArgument, "a change of access takes no condition", advice: "change the access by itself")
        }
    }
}

/// Whether a person can be recognised by a finger here.
///
/// ```swift
/// let fingers = try await keychain.biometrics()
/// if let reason = fingers.unavailableReason { print("Use your password: \(reason)") }
/// ```
public struct Biometrics: Sendable, Hashable {
    /// The kind of reader.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// No reader is known.
        case none
        /// A fingerprint reader.
        case fingerprint
    }

    /// Why no finger can be asked for.
    public enum Obstacle: String, Sendable, Hashable, CaseIterable {
        /// No reader was found, or nobody could look for one.
        case noReader = "no-reader"
        /// There is a reader, and the user has enrolled no finger.
        case notEnrolled = "not-enrolled"
        /// Not now, or not in this session: the lid is closed, the session is remote or locked.
        case unavailable
    }

    /// The kind of reader that is there, even if it cannot be used now.
    public let kind: Kind
    /// Why fingers cannot be asked for; nil if they can.
    public let obstacle: Obstacle?
    /// The same in words for a person; nil if fingers can be asked for.
    public let unavailableReason: String?

    /// Whether a finger can be asked for now.
    public var isAvailable: Bool { unavailableReason == nil }

    /// For backends. Applications get it from ``Keychain/biometrics()``.
    /// - Parameter obstacle: nil for what `kind` says: no reader, or not available now.
    public init(kind: Kind, unavailableReason: String?, obstacle: Obstacle? = nil) {
        self.kind = kind
        self.unavailableReason = unavailableReason
        self.obstacle = unavailableReason == nil ? nil : obstacle ?? (kind == .none ? .noReader : .unavailable)
    }
}
