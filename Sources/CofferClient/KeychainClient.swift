import BrokerProtocol
import Platform
import Varlink

/// Calls the broker and has a person asked if needed. A call that needs a person is repeated after the person has been recognised.
package struct KeychainClient: Sendable {
    package let paths: SocketPaths
    private let broker: BrokerClient
    private let authenticator: Authenticator
    /// The vault of all calls.
    private let vault: VaultName

    /// - Parameter caller: the calling process's own uid.
    /// - Parameter vault: the vault of all calls; by default the caller's own.
    /// - Parameter whenWaiting: called if the broker does not take a call for a moment.
    package init(
        paths: SocketPaths, caller: UInt32, vault: VaultName = .own, whenWaiting: (@Sendable () -> Void)? = nil
    ) {
        self.paths = paths
        self.broker = BrokerClient(path: paths.broker, whenWaiting: whenWaiting)
        self.vault = vault
        self.authenticator = Authenticator(paths: paths, caller: caller)
    }

    private init(_ client: KeychainClient, _ vault: VaultName) {
        paths = client.paths
        broker = client.broker
        authenticator = client.authenticator
        self.vault = vault
    }

    /// The same client for another vault. Both share a connection.
    package func of(_ vault: VaultName) -> KeychainClient { KeychainClient(self, vault) }

    /// Makes a call that never needs a person.
    package func call<Method: VarlinkMethod>(_ method: Method) throws(KeychainError) -> Method.Reply {
        switch try broker.call(inVault(method)) {
        case .reply(let answer, _): return answer
        case .fault(let fault):
            guard fault.name != .authenticationRequired else {
                throw KeychainError(
                    .protocolViolation, "the broker asks for authentication, but none is needed",
                    advice: "install coffer and cofferd of the same version")
            }
            throw KeychainError(brokerFault: fault, about: (method as? any ItemNaming)?.shownName)
        }
    }

    /// Makes a call about items that never needs a person.
    package func call<Method: VarlinkMethod, Answer>(
        _ request: ItemCall<Method, Answer>
    ) throws(KeychainError) -> Answer {
        try request.answer(call(request.method))
    }

    private func inVault<Method: VarlinkMethod>(_ method: Method) -> BrokerProtocol.Keychain.InVault<Method> {
        BrokerProtocol.Keychain.InVault(method, vault.choice)
    }

    /// All items of a service, or of all services.
    /// - Parameter kind: nil for items of all kinds but settings.
    package func list(
        service: String?, kind: ItemKind? = nil
    ) throws(KeychainError) -> [ItemAttributes] {
        try items(BrokerProtocol.Keychain.List(service: service, kind: kind))
    }

    /// All items of the bin. Of one name, the one that was deleted last comes first.
    package func deletedItems() throws(KeychainError) -> [ItemAttributes] {
        try items(BrokerProtocol.Keychain.List(deleted: true))
    }

    /// All items that have the attributes and contain the text, of any service.
    /// - Parameter kind: nil for items of all kinds but settings.
    package func search(
        text: String?, attributes: [String: String]?, kind: ItemKind? = nil
    ) throws(KeychainError) -> [ItemAttributes] {
        try items(BrokerProtocol.Keychain.Search(text: text, attributes: attributes, kind: kind))
    }

    private func items<Method: VarlinkMethod>(
        _ method: Method
    ) throws(KeychainError) -> [ItemAttributes] where Method.Reply == BrokerProtocol.Keychain.ItemsReply {
        var items: [ItemAttributes] = []
        for reply in try broker.stream(inVault(method)) {
            for item in reply.items { items.append(try ItemAttributes(item)) }
        }
        return items
    }

    /// Has a person asked once. Reads in this terminal session may use the answer for this many seconds.
    package func authorize(seconds: Int, by prompter: inout any Prompter) throws(KeychainError) {
        try authenticator.authorize(seconds: seconds, by: &prompter)
    }

    /// Ends what ``authorize(seconds:by:)`` began, in all of the user's terminals, and all of the user's leases.
    /// - Returns: the number of those terminals and leases.
    package func forget() throws(KeychainError) -> (terminals: Int, leases: Int) { try authenticator.forget() }

    /// Makes a new signing key for the authenticator. Only root may call this.
    /// - Returns: the number of vaults under a former key.
    package func renewSigningKey() throws(KeychainError) -> Int {
        do throws(KeychainError) { return try authenticator.renewSigningKey() } catch {
            guard error.code == .accountDenied else { throw error }
            throw KeychainError(
                .notPermitted, "only root renews the authenticator's signing key",
                advice: "run as root: coffer rotate --signing-key")
        }
    }

    /// Moves a vault aside. Only root may call this. A second call completes what an interruption has left.
    /// - Returns: where the vault's file, its registry record and the owner's copy are now; each nil if there is none.
    package func setAsideVault(
        isForced: Bool
    ) throws(KeychainError) -> (file: String?, record: String?, copy: String?) {
        let moved = try call(BrokerProtocol.Keychain.SetAsideVault(force: isForced ? true : nil))
        do throws(KeychainError) {
            let rest = try authenticator.setAside(moved.owner, stamp: moved.stamp)
            return (moved.file, rest.record, rest.copy)
        } catch {
            let place = moved.file.map { " (to \($0))" } ?? ""
            let again = "run the same command again"
            // The authenticator knows what is left to do. If it was not reached, everything is.
            let advice =
                error.advice.isEmpty ? again : error.code == .failed ? error.advice : "\(error.advice); then \(again)"
            throw KeychainError(
                error.code, "the vault's files were moved aside\(place), but that is not all: \(error.message)",
                advice: advice, cause: error.cause)
        }
    }

    /// Whether the caller can be asked for a finger, and which fingers are enrolled. Nobody is asked.
    /// - Returns: the authenticator's answer, and the uid that it runs as, which the kernel gives.
    package func biometry() throws(KeychainError) -> (
        answer: BrokerProtocol.Authentication.Biometry.Reply, uid: UInt32
    ) {
        try authenticator.biometry()
    }

    /// Renews all keys. A person is asked again only while there are items that the last prompt could not name.
    /// - Parameters:
    ///   - passwords: the application passwords of all items that have one, by the items' ids.
    ///   - prompts: the most prompts that the items can need.
    package func rotateAll(
        _ passwords: [String: [UInt8]], prompts: Int,
        prompter findPrompter: ([BrokerProtocol.Keychain.Purpose]) throws(KeychainError) -> any Prompter
    ) throws(KeychainError) -> RenewedKeys {
        let given = passwords.map { BrokerProtocol.Keychain.ItemPassword(item: $0, password: Base64.encode($1)) }
        let method = BrokerProtocol.Keychain.RotateAll(applicationPasswords: given)
        var wasAsked = false
        let reply: BrokerProtocol.Keychain.RotateAll.Reply
        do throws(KeychainError) {
            reply = try answer(to: method, CallLife(repeats: [.rotate: prompts + 1], begins: 0)) {
                purposes throws(KeychainError) in
                guard purposes == [.rotate] else {
                    throw KeychainError(
                        .protocolViolation, "the broker asks for something other than renewing keys",
                        advice: "install coffer and cofferd of the same version")
                }
                wasAsked = true
                return try findPrompter(purposes)
            }
        } catch {
            // The broker may have ended behind its last step.
            guard wasAsked, error.code == .brokerUnreachable || error.code == .brokerSilent else { throw error }
            throw KeychainError(
                error.code, "\(error.message), and it is not known whether the keys were renewed",
                advice: "run the command again, which is right in both cases", cause: error.cause)
        }
        var locked: [ItemAttributes] = []
        for item in reply.passwords { locked.append(try ItemAttributes(item)) }
        return RenewedKeys(items: reply.items.map(Int.init(clamping:)), passwords: locked, isRevoked: reply.revoked)
    }

    /// Makes a call that may need a person, once for each purpose.
    /// - Parameter code: what the person has typed to add a machine to a circle.
    /// - Parameter findPrompter: gets the purposes; called only if a person is needed.
    package func call<Method: Challengeable>(
        _ method: Method, code: TypedCode? = nil,
        prompter findPrompter: ([BrokerProtocol.Keychain.Purpose]) throws(KeychainError) -> any Prompter
    ) throws(KeychainError) -> Method.Reply {
        try answer(to: method, CallLife(begins: CallLimits.commandBegins), code: code, by: findPrompter)
    }

    /// A challenge for a machine that is to prove itself before it is added: ``Authenticator/challenge(code:request:identity:)``.
    package func challenge(
        code: String, request: String, identity: String
    ) throws(KeychainError) -> String {
        try authenticator.challenge(code: code, request: request, identity: identity)
    }

    private func answer<Method: Challengeable>(
        to method: Method, _ life: consuming CallLife, code: TypedCode? = nil,
        by findPrompter: ([BrokerProtocol.Keychain.Purpose]) throws(KeychainError) -> any Prompter
    ) throws(KeychainError) -> Method.Reply {
        var method = method
        while true {
            method.challenge = life.challenge
            let step: CallLife.Step
            switch try broker.call(inVault(method)) {
            case .reply(let answer, _): return answer
            case .fault(let fault):
                do throws(KeychainError) {
                    step = try life.heard(fault, about: (method as? any ItemNaming)?.shownName)
                } catch {
                    if let challenge = fault.details.challenge { withdraw(challenge) }
                    throw error
                }
            }
            switch step {
            case .call(let pause): Self.wait(pause)
            case .sign(let challenge):
                do throws(KeychainError) {
                    if let failure = pass(leased: challenge) {
                        try life.notSigned(failure)
                    } else {
                        life.signed(challenge)
                    }
                } catch {
                    withdraw(challenge)
                    throw error
                }
            case .ask(let challenge, let purposes):
                do throws(KeychainError) {
                    // The machine, not the person, knows which fingers are enrolled.
                    var prompter: any Prompter =
                        try purposes == [.enrolment] ? SilentPrompter() : findPrompter(purposes)
                    // Another question in the same call, such as one to unlock the vault, has no use for the code.
                    let code = purposes.contains { $0 == .addToCircle || $0 == .paperToCircle } ? code : nil
                    // Root opens a service vault when the machine starts, and nobody reads a text then. Binding has a
                    // purpose of its own, and its text is read.
                    let opens = (method as? BrokerProtocol.Keychain.Unlock).map { $0.bind == nil } ?? false
                    try authenticator.pass(
                        challenge, code: code, for: opens ? [.create, .unlock] : nil, by: &prompter)
                    life.passed(challenge)
                } catch {
                    withdraw(challenge)
                    Self.wait(try life.failed(error))
                }
            }
        }
    }

    /// Takes a challenge back. If nobody was asked yet, the access log records that. A broker that is silent does not
    /// keep the person who gave up waiting.
    private func withdraw(_ challenge: String) {
        let broker = BrokerClient(path: paths.broker, patience: CallLimits.cancellation)
        // `try?`: if this call fails, the broker notices by itself when the challenge expires.
        _ = try? broker.call(inVault(BrokerProtocol.Keychain.Withdraw(challenge: challenge)))
    }

    private static func wait(_ pause: Duration) {
        guard pause > .zero else { return }
        // `try?`: what is not waited for is tried sooner.
        _ = try? Readiness.wait(for: [], until: .now + pause)
    }
}

extension KeychainClient {
    /// Has the authenticator sign under a lease. This needs no terminal, and nobody is asked.
    /// - Returns: why it has not signed, for example because the lease has ended meanwhile; nil if it has.
    private func pass(leased challenge: String) -> KeychainError? {
        var prompter: any Prompter = NoPrompter()
        do throws(KeychainError) {
            try authenticator.pass(challenge, by: &prompter)
            return nil
        } catch { return error }
    }
}

/// What a renewal of all keys has done.
package struct RenewedKeys: Sendable {
    /// How many items were sealed anew; nil if nothing was done.
    package let items: Int?
    /// The items whose application passwords are missing. Nothing was done if there are any.
    package let passwords: [ItemAttributes]
    /// Whether the TPM no longer holds the former keys.
    package let isRevoked: Bool
}

/// Asks nobody, for requests that need no answer from a person.
struct SilentPrompter: Prompter {
    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? { nil }
}

/// A method that can be repeated with a challenge that a person has passed.
package protocol Challengeable: VarlinkMethod {
    var challenge: String? { get set }
}

/// A method that can open a locked vault on the way.
package protocol VaultOpening: Challengeable {
    /// Whether the answer about a locked vault is a challenge that also opens it, instead of an error.
    var unlock: Bool? { get set }
}

/// A method that reads an item and may take an application password.
package protocol PasswordTaking: VaultOpening {
    /// The password in Base64.
    var applicationPassword: String? { get set }
}

extension PasswordTaking {
    package mutating func give(_ password: [UInt8]) { applicationPassword = Base64.encode(password) }
}

extension BrokerProtocol.Keychain.Set: Challengeable {}
extension BrokerProtocol.Keychain.Get: PasswordTaking {}
extension BrokerProtocol.Keychain.GetAll: VaultOpening {}
extension BrokerProtocol.Keychain.Lease: Challengeable {}
extension BrokerProtocol.Keychain.Apply: Challengeable {}
extension BrokerProtocol.Keychain.Edit: PasswordTaking {}
extension BrokerProtocol.Keychain.Rename: PasswordTaking {}
extension BrokerProtocol.Keychain.Rotate: PasswordTaking {}
extension BrokerProtocol.Keychain.Restore: PasswordTaking {}
extension BrokerProtocol.Keychain.RotateAll: Challengeable {}
extension BrokerProtocol.Keychain.Unlock: Challengeable {}
extension BrokerProtocol.Keychain.CreateVault: Challengeable {}
extension BrokerProtocol.Keychain.NewRecoveryCode: Challengeable {}
extension BrokerProtocol.Keychain.AcceptVault: Challengeable {}
extension BrokerProtocol.Keychain.TieToBoot: Challengeable {}
extension BrokerProtocol.Keychain.ApproveBoot: Challengeable {}
extension Sync.Found: Challengeable {}
extension Sync.Add: Challengeable {}
extension Sync.AddPaper: Challengeable {}
extension Sync.Enter: Challengeable {}
extension Sync.Remove: Challengeable {}
extension Sync.Release: Challengeable {}
