import FoundationEssentials

/// The secrets of one service, such as an application.
///
/// A keychain keeps no secret itself. Every call goes to the broker, which checks who calls and what the item requires.
/// ```swift
/// let keychain = Keychain(service: "com.example.app")
/// try await keychain.set("s3cret", for: "accessToken",
///                        access: .whenUnlocked.thisDeviceOnly.requiring(.userPresence))
/// let token = try await keychain.string(for: "accessToken", reason: "Show your token")
/// ```
/// These calls prompt, if the item requires it:
/// - those that give out a value: ``bytes(for:reason:applicationPassword:)``, ``string(for:reason:applicationPassword:)``,
///   ``value(_:for:reason:applicationPassword:)``, ``item(for:reason:applicationPassword:)``, ``authenticate(for:reason:)``,
///   ``bytes(for:version:reason:applicationPassword:)``, ``update(for:access:reason:applicationPassword:_:)``;
/// - ``restore(_:version:reason:applicationPassword:)``, ``rename(_:to:reason:applicationPassword:)``, and
///   ``edit(_:_:reason:applicationPassword:)`` if it changes the access control;
/// - ``unlock()``, and storing the first item, which makes the user's vault.
///
/// When a task is cancelled, its prompt closes at once, and the call throws `.cancelled`. A change that was sent already is
/// waited for a moment longer; then the call throws `.outcomeUnknown`.
///
/// Equal reads at the same time are one read: one prompt answers all tasks that want the value.
///
/// Any program of the user can read items that require nothing. To keep an item from other programs of the user, require presence.
public struct Keychain: Sendable {
    /// Names the application, for example in reverse domain order. At most 1 KiB in UTF-8, and not empty.
    public let service: String
    /// The vault that the items are in: the user's own or a group's.
    public let vault: VaultName
    /// How a person is asked.
    public let prompts: Prompts
    /// The class of the items that the methods name by their account.
    public let itemClass: ItemClass
    /// The field that reading and storing is about; nil for ``FieldName/secret``.
    package let field: FieldName?
    package let backend: any KeychainBackend

    /// A keychain of the user's own vault, or of a group's.
    /// - Parameters:
    ///   - service: names the application.
    ///   - group: a POSIX group that the user is a member of. Its members share the items. nil: the user's own vault.
    ///   - itemClass: keeps for example keys apart from passwords of the same name.
    ///   - prompts: how a person is asked.
    ///   - backend: where the items are. Tests choose `InMemoryKeychain` of `CofferTestKit`.
    public init(
        service: String, group: String? = nil, itemClass: ItemClass = .genericPassword, prompts: Prompts = .automatic,
        backend: any KeychainBackend = BrokerBackend()
    ) {
        self.init(
            service: service, vault: group.map(VaultName.group) ?? .own, itemClass: itemClass, prompts: prompts,
            backend: backend)
    }

    /// A keychain of any vault.
    public init(
        service: String, vault: VaultName, itemClass: ItemClass = .genericPassword, prompts: Prompts = .automatic,
        backend: any KeychainBackend = BrokerBackend()
    ) {
        self.init(
            service: service, vault: vault, itemClass: itemClass, prompts: prompts, backend: backend, field: nil)
    }

    init(
        service: String, vault: VaultName, itemClass: ItemClass, prompts: Prompts, backend: any KeychainBackend,
        field: FieldName?
    ) {
        self.field = field
        self.service = service
        self.vault = vault
        self.itemClass = itemClass
        self.prompts = prompts
        self.backend = backend
    }

    /// The same items, with another way to ask a person.
    public func prompting(_ prompts: Prompts) -> Keychain {
        Keychain(service: service, vault: vault, itemClass: itemClass, prompts: prompts, backend: backend, field: field)
    }

    /// The items of the same service that have another class.
    public func items(ofClass itemClass: ItemClass) -> Keychain {
        Keychain(service: service, vault: vault, itemClass: itemClass, prompts: prompts, backend: backend, field: field)
    }

    /// The items of another service in the same vault.
    public func of(service: String) -> Keychain {
        Keychain(service: service, vault: vault, itemClass: itemClass, prompts: prompts, backend: backend, field: field)
    }

    /// The whole name of the item of an account.
    public func name(_ account: String) -> ItemName {
        ItemName(service: service, account: account, itemClass: itemClass)
    }

    func request(_ reason: String?, applicationPassword: String? = nil, version: Int? = nil) -> ReadRequest {
        var request = ReadRequest(
            reason: reason, prompts: prompts, applicationPassword: applicationPassword.map { Array($0.utf8) },
            version: version)
        request.field = field
        return request
    }
}
