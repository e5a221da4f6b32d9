import Coffer
import FoundationEssentials
import Synchronization

/// A keychain in memory, for an application's tests. It answers as the broker does, with the same errors, and needs no program.
/// ```swift
/// let backend = InMemoryKeychain(password: "s3cret", person: .answers("s3cret"))
/// let keychain = Keychain(service: "com.example.app", backend: backend)
/// try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
/// #expect(try await keychain.string(for: "me") == "token")
/// #expect(backend.shownMessages.last?.isHidden == true)
/// ```
/// Values are plain memory, and end with the object. It protects nothing: use it in tests only.
public final class InMemoryKeychain: KeychainBackend {
    private let password: String
    private let person: TestPerson
    let fingers: Biometrics
    let clock: @Sendable () -> Date
    let content: Mutex<Content>
    /// Equal reads at the same time are one read, as with a broker.
    let reads = SharedReads()

    /// Everything that changes.
    struct Content {
        var vaults: [VaultName: MemoryVault]
        /// Which fingers are enrolled.
        var fingers = 1
        var shown: [PromptMessage] = []
        var readers: [Reader] = []
        /// nil: the machine is in no circle.
        var member: MemberState?

        struct Reader {
            weak var queue: MemoryEventQueue?
        }
    }

    /// - Parameters:
    ///   - password: the answer that a question takes.
    ///   - person: who answers where `Prompts.automatic` asks. A handler of the keychain's prompts is asked instead.
    ///   - biometrics: whether there are fingers. By default there is no reader.
    ///   - state: the state of the vaults at first. With `.none`, storing the first item asks, because it makes the vault.
    ///   - others: the vaults besides the user's own: of the groups that the user is a member of, and of service accounts.
    ///   - isBound: whether the user's vault is bound to the login password, as `AccessControl.passcodeSet` takes.
    ///   - now: the time. Items expire by it.
    public init(
        password: String = "sandbox", person: TestPerson = .absent,
        biometrics: Biometrics = Biometrics(kind: .none, unavailableReason: "there is no fingerprint reader"),
        state: VaultStatus.State = .unlocked, others: Set<VaultName> = [], isBound: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.password = password
        self.person = person
        fingers = biometrics
        clock = now
        var vaults: [VaultName: MemoryVault] = [:]
        for name in others.union([.own]) {
            vaults[name] = MemoryVault(name, state: state, isBound: isBound && name == .own)
        }
        content = Mutex(Content(vaults: vaults))
    }

    /// Every message that a person was shown, in the order of the calls.
    public var shownMessages: [PromptMessage] { content.withLock { $0.shown } }

    /// Enrols other fingers. Values that require `biometryCurrentSet` can no longer be read.
    public func changeEnrolledFingers() { content.withLock { $0.fingers += 1 } }

    /// Closes all vaults as a restart of the broker does. They are then `.sealed`, and every `changes()` ends with
    /// `.brokerUnreachable`, as at an upgrade. The next `changes()` is heard at once.
    public func restart() {
        let queues = content.withLock { content in
            for (name, vault) in content.vaults where vault.state != .none { content.vaults[name]?.state = .sealed }
            defer { content.readers = [] }
            return content.readers.compactMap(\.queue)
        }
        for queue in queues {
            queue.end(
                throwing: KeychainError(
                    .brokerUnreachable, "the broker is stopping", advice: "try again in a moment"))
        }
    }

    /// Implements `KeychainBackend/biometrics()`.
    public func biometrics() async throws(KeychainError) -> Biometrics { fingers }

    var questioner: Questioner {
        Questioner(password: password, person: person, biometrics: fingers) { [self] message in
            content.withLock { $0.shown.append(message) }
        }
    }
}
