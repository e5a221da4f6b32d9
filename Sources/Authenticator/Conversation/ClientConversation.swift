import Authorization
import BrokerProtocol
import Cryptography
import Glibc
import Logging
import PAM
import Platform
import RootConfiguration

/// Runs one conversation on one connection in a process of its own. It goes from Begin to the signatures, or to a refusal, and then the process ends.
public struct ClientConversation {
    private let configuration: Configuration
    private let isUnlogged: Bool
    private let logger = Logger(
        label: "coffer-authenticator", factory: { label in StreamLogHandler.standardError(label: label) })

    /// - Parameter isUnlogged: whether the log gets a line only if somebody answers, or for what only root may do.
    public init(configuration: Configuration, isUnlogged: Bool = false) {
        self.configuration = configuration
        self.isUnlogged = isUnlogged
    }

    /// Holds the conversation on a connected socket and ends the process. So nothing that a PAM module started outlives it.
    public func run(on connection: consuming Descriptor) throws(SystemError) -> Never {
        let number = connection.number
        let place: PlaceLocks
        // This comes before anything is read, and before any step that costs more.
        do throws(ConversationError) { place = try admit(number) } catch { refuse(connection, error) }
        try ChildProcess.adoptOrphans()
        try nameBus()
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        var session = ClientSession(
            channel: ClientChannel(adopting: connection), signals: signals, patience: ConversationLimits.begin)
        var report = Report()
        do throws(ConversationError) {
            let client = try Client(ofSocket: number)
            report.client = client
            let biometry = Biometry(configuration)
            let request = try session.begin(limit: .seconds(configuration.promptTimeout)) {
                biometry.report(to: client)
            } proof: { [configuration] (call) throws(ConversationError) in
                try MachineProof(configuration).challenge(call)
            }
            switch request {
            case .challenge(let challenge, let code, let attested, let purposes):
                try converse(client, challenge, code, attested: attested, for: purposes, &session, &report)
                session.finish(nil)
            case .authorize(let seconds):
                report.purpose = "reuse"
                let inquiry = ReuseInquiry(inquiry: Inquiry(client: client, configuration: configuration))
                try inquiry.ask(seconds: seconds, &session)
                session.finish(nil)
            case .renewSigningKey:
                report.purpose = "signing-key"
                report.isRoots = client.account.uid == OwnProcess.effectiveUser
                session.finish(vaultsUnderFormerKeys: try renewSigningKey(for: client))
            case .setAside(let call):
                report.purpose = "set-aside"
                report.isRoots = client.account.uid == OwnProcess.effectiveUser
                session.finish(try setAside(call, for: client))
            case .forget:
                report.purpose = "forget"
                let (answers, leases) = try forget(client.account.uid)
                session.finish(forgotten: answers, leases: leases)
            }
            report.outcome = "authorized"
        } catch {
            session.finish(error)
            report.outcome = error.outcome
        }
        session.withdrawNotification()
        report.contacts = session.contacts
        // Written before the process ends, without waiting for a module that still runs.
        let isLogged = session.hasAnswered || report.isRoots || !isUnlogged
        if isLogged { logger.notice("conversation", metadata: report.metadata) }
        ChildProcess.endAll()
        place.keep()
        ChildProcess.exitNow(0)
    }

    /// Ends the reuse of all answers of a user, and all leases.
    private func forget(_ uid: UInt32) throws(ConversationError) -> (answers: Int, leases: Int) {
        let answers = try ReuseFile(registryDirectory: configuration.registryDirectory, uid: uid).forget()
        let leases = try LeaseFile(registryDirectory: configuration.registryDirectory, uid: uid).forget()
        if leases > 0 {
            // Without the authenticator's record a lease permits nothing. The broker is told so that it does not list the lease any longer. If it
            // cannot be told, it notices at the next read.
            do throws(ConversationError) {
                var broker = try ConversationDependencies(configuration).connect()
                // `try?`: see above.
                _ = try? broker.call(BrokerInterface.EndLeases(uid: Int64(uid)), within: BrokerLimits.call)
            } catch {
                if !isUnlogged { logger.warning("the broker was not told that leases have ended") }
            }
        }
        return (answers, leases)
    }

    private func admit(_ connection: Int32) throws(ConversationError) -> PlaceLocks {
        let peer: PeerCredentials
        do throws(SystemError) { peer = try PeerCredentials(ofSocket: connection) } catch {
            throw .refused(.denied("the caller cannot be identified: \(error)"))
        }
        return try ConversationPlaces(configuration).admit(peer)
    }

    /// Says why, and ends the process at once: it waits for nothing that the client does.
    private func refuse(_ connection: consuming Descriptor, _ error: ConversationError) -> Never {
        let channel = ClientChannel(adopting: connection)
        if let fault = error.fault { channel.fail(fault) }
        if !isUnlogged { logger.notice("conversation refused", metadata: ["outcome": "\(error.outcome)"]) }
        ChildProcess.exitNow(0)
    }

    /// Makes a new signing key for new and renewed vaults. Only root may do this; root could change the key file as well.
    /// - Returns: the number of vaults that still use a former key.
    private func renewSigningKey(for client: Client) throws(ConversationError) -> Int {
        guard client.account.uid == OwnProcess.effectiveUser else {
            throw .refused(.denied("only root renews the authenticator's signing key"))
        }
        let dependencies = try ConversationDependencies(configuration)
        try dependencies.keys.renew()
        return try dependencies.keys.dropUnused(by: dependencies.registry)
    }

    /// Only root may do this; root could move the files as well.
    private func setAside(
        _ call: BrokerProtocol.Authentication.SetAside, for client: Client
    ) throws(ConversationError) -> BrokerProtocol.Authentication.SetAside.Reply {
        guard OwnProcess.effectiveUser == client.account.uid else {
            throw .refused(.denied("only root sets a vault aside"))
        }
        guard let owner = Owner(text: call.owner), SetAsideVault.isStamp(call.stamp) else {
            throw .refused(.invalidArgument("that is no vault that was set aside"))
        }
        let dependencies = try ConversationDependencies(configuration)
        return try SetAsideVault(
            owner: owner, stamp: call.stamp, registry: dependencies.registry,
            vaults: configuration.vaultDirectory, broker: dependencies.brokerUser
        ).complete()
    }

    /// PAM modules find the system bus by themselves. In a sandbox, the environment has to name the sandbox's own bus.
    private func nameBus() throws(SystemError) {
        guard configuration.sandbox, case .address(let address) = configuration.systemBus else { return }
        try OwnProcess.set("DBUS_SYSTEM_BUS_ADDRESS", to: address)
    }

    private func converse(
        _ client: Client, _ challenge: String, _ code: SecretBytes?, attested: Bool, for purposes: [String]?,
        _ session: inout ClientSession, _ report: inout Report
    ) throws(ConversationError) {
        let dependencies = try ConversationDependencies(configuration)
        var broker = try dependencies.connect()
        session.watch(broker: broker.number)
        var open = try OpenConversations.enter(client, configuration)
        defer { open.keep() }
        do throws(ConversationError) {
            var checked = try describe(client, challenge, dependencies, &broker, &open)
            report.purpose = checked.request.purposes.joined(separator: "+")
            // Such a client answers by itself. A broker that was taken over could have it answer for anything.
            guard purposes.map({ Set(checked.request.purposes).isSubset(of: $0) }) ?? true else {
                throw ConversationError.refused(
                    .invalidArgument("this challenge is for something else than the program wants"))
            }
            if case .circle(var circle) = checked.request {
                // Before anybody is asked, because the answer would be in vain.
                try circle.check(code: code)
                try circle.check(keysOf: checked.record)
                try circle.judgeProof(demanded: attested) { () throws(ConversationError) in
                    try MachineProof(configuration)
                }
                checked.request = .circle(circle)
            } else if code != nil || attested {
                throw ConversationError.refused(.invalidArgument("this challenge takes no code and no proof"))
            }
            switch checked.request {
            case .enrolment(let kinds):
                let enrolment = Enrolment(
                    challenge: challenge, account: client.account, biometry: Biometry(configuration),
                    registry: dependencies.registry)
                try enrolment.perform(kinds, for: try checked.registered(), through: &broker)
            case .lease(let wanted):
                let grant = try LeaseGrant(wanted, checked, of: client, configuration)
                let inquiry = Inquiry(client: client, configuration: configuration)
                try inquiry.ask(checked.services, PromptNotice.text(for: checked, from: client), &session)
                try checked.claim.confirm(checked.request, of: client)
                let signer = signer(client, challenge, checked, by: .asked, dependencies)
                try grant.sign(checked, for: client, by: signer, &broker)
            case .vault, .use, .readAll, .rotate, .circle, .release:
                guard !checked.needsPassword else {
                    return try askForPassword(client, challenge, checked, dependencies, &session, &broker)
                }
                report.proof = try prove(client, challenge, checked, &session, &broker)
                try checked.claim.confirm(checked.request, of: client)
                try perform(client, challenge, checked, by: report.proof, dependencies, &broker)
            }
        } catch {
            // Telling the broker lets it drop the challenge sooner. If the call fails, the challenge expires by itself.
            _ = try? broker.call(
                BrokerInterface.Refuse(challenge: challenge, reason: error.reason), within: BrokerLimits.refusal)
            throw error
        }
    }

    private func describe(
        _ client: Client, _ challenge: String, _ dependencies: ConversationDependencies,
        _ broker: inout BrokerConnection,
        _ open: inout OpenConversations
    ) throws(ConversationError) -> CheckedRequest {
        let facts: BrokerInterface.Describe.Reply
        do throws(BrokerFailure) {
            facts = try broker.call(
                BrokerInterface.Describe(
                    challenge: challenge, uid: Int64(client.account.uid), pid: Int64(client.process.pid),
                    startTime: Int64(clamping: client.process.startTime), program: client.program.resolved),
                within: BrokerLimits.call)
        } catch {
            throw ConversationError(error)
        }
        return try CheckedRequest(
            facts, of: client, registry: dependencies.registry, keys: dependencies.keys, sealer: dependencies.sealer
        ) { (request, ways, record) throws(ConversationError) in
            try LeasedRead.find(
                for: client, request, ways, record, lastLock: facts.lastLock, configuration)
        } biometrics: { record in
            Biometry(configuration).availability(to: client, record: record) { () throws(SystemError) in
                try open.claimFinger()
            }
        }
    }

    /// Has the password typed for this very request. Neither an earlier answer nor another request's answer will do.
    private func askForPassword(
        _ client: Client, _ challenge: String, _ checked: CheckedRequest, _ dependencies: ConversationDependencies,
        _ session: inout ClientSession, _ broker: inout BrokerConnection
    ) throws(ConversationError) {
        let inquiry = Inquiry(client: client, configuration: configuration)
        let notice = try PromptNotice.text(for: checked, from: client)
        let password = try inquiry.ask(checked.services, notice, &session)
        let vault = try BoundVault(
            password: password, checked: checked, signer: signer(client, challenge, checked, by: .asked, dependencies),
            registry: dependencies.registry)
        try vault.perform(&session, &broker)
    }

    /// Proves that the person is present, by an answer that may be used again or by asking. For a vault that has no person, root is
    /// asked only about its circle.
    private func prove(
        _ client: Client, _ challenge: String, _ checked: CheckedRequest, _ session: inout ClientSession,
        _ broker: inout BrokerConnection
    ) throws(ConversationError) -> Proof {
        guard let person = try checked.person(client) else {
            guard checked.request.changesCircle else { return .root }
            return try RootConsent.ask(
                PromptNotice.text(for: checked, from: client), invited: checked.request.answerOfInvitation, &session)
        }
        if checked.leased != nil { return .leased }
        if try canReuse(client, checked) { return .reused }
        let inquiry = SharedInquiry(
            inquiry: Inquiry(client: client, person: person, configuration: configuration),
            challenge: challenge, checked: checked)
        return try inquiry.ask(&session, &broker)
    }

    private func canReuse(_ client: Client, _ checked: CheckedRequest) throws(ConversationError) -> Bool {
        guard configuration.reuseLimit > 0, let terminal = client.session else { return false }
        let book = try ReuseFile(registryDirectory: configuration.registryDirectory, uid: client.account.uid)
        let services = try book.services(in: terminal, lastLock: checked.lastLock)
        return ReuseRule.allows(checked.signatures.map(\.kind), for: checked.request, by: services)
    }

    /// Does what the person allowed.
    private func perform(
        _ client: Client, _ challenge: String, _ checked: CheckedRequest, by proof: Proof,
        _ dependencies: ConversationDependencies,
        _ broker: inout BrokerConnection
    ) throws(ConversationError) {
        var signer = signer(client, challenge, checked, by: proof, dependencies)
        switch checked.request.kind {
        case .accept, .joinCircle:
            // Neither opens anything, so nothing is signed.
            do throws(BrokerFailure) {
                _ = try broker.call(BrokerInterface.ConfirmAcceptance(challenge: challenge), within: BrokerLimits.call)
            } catch { throw ConversationError(error) }
        case .create:
            let provisioning = Provisioning(
                challenge: challenge, owner: checked.claim.owner, ownerName: checked.claim.name,
                isService: checked.claim.right == .root, maker: client.account.uid, sealer: dependencies.sealer,
                keys: dependencies.keys, registry: dependencies.registry)
            signer.record = try provisioning.register(through: &broker)
            try signer.sign([SignatureWays.Signature(index: 0, kind: .unlock)], through: &broker)
        case .rotate:
            try signer.sign(checked.signatures.filter { $0.kind == .unlock }, through: &broker)
            let rotation = try VaultRotation(checked, signer: signer, registry: dependencies.registry)
            try rotation.perform(through: &broker)
        case .tieToBoot:
            try TiedVault(checked, ties: true, signer: signer, registry: dependencies.registry).perform(&broker)
        case .releaseFromBoot:
            try TiedVault(checked, ties: false, signer: signer, registry: dependencies.registry).perform(&broker)
        case .unlock, .read, .readAll, .change, .rename, .recovery, .approveBoot, .foundCircle, .addToCircle,
            .paperToCircle, .removeFromCircle, .releaseToCircle:
            try signer.sign(checked.signatures, through: &broker)
        // The first two always take the password, an enrolment takes nobody's answer, and a lease is granted elsewhere.
        case .bind, .unbind, .enrolment, .lease: throw PersonRequest.unexplained
        }
    }

    private func signer(
        _ client: Client, _ challenge: String, _ checked: CheckedRequest, by proof: Proof,
        _ dependencies: ConversationDependencies
    ) -> Signer {
        let (biometry, account) = (Biometry(configuration), client.account)
        var signer = Signer(keys: dependencies.keys, challenge: challenge, record: checked.record, proof: proof) {
            () throws(BiometryObstacle) in try biometry.currentSet(of: account)
        }
        if case .circle(let circle) = checked.request, let record = checked.record {
            signer.witness = { (_, hash) throws(BrokerFailure) in try circle.check(parameterHash: hash, record) }
        }
        if let leased = checked.leased {
            signer.witness = { (wanted, hash) throws(BrokerFailure) in try leased.check(wanted, parameterHash: hash) }
        }
        return signer
    }
}

/// The one line that the log gets for a conversation: who asked, for which purpose, and how it ended. It holds no item, no reason and no answer.
struct Report {
    var client: Client?
    var purpose = ""
    /// Whether root does what nobody else may. The log then has the line in any case.
    var isRoots = false
    var proof = Proof.asked
    /// What each PAM service did with the person.
    var contacts: [String] = []
    var outcome = ""

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["purpose": "\(purpose)", "outcome": "\(outcome)"]
        if let means = proof.means { metadata["proof"] = "\(means)" }
        if !contacts.isEmpty { metadata["asked"] = "\(contacts.joined(separator: ","))" }
        if let client {
            metadata["uid"] = "\(client.account.uid)"
            metadata["pid"] = "\(client.process.pid)"
            metadata["program"] = "\(client.program.logged)"
        }
        return metadata
    }
}

/// The objects that a conversation needs, made from the configuration: the broker's account, keys and registry.
struct ConversationDependencies {
    private let socket: String
    let brokerUser: UInt32
    let registry: Registry
    let keys: SigningKeys
    let sealer: SealerKind

    /// - Throws: ``ConversationError`` if the set-up would protect nothing.
    init(_ configuration: Configuration) throws(ConversationError) {
        let user = OwnProcess.effectiveUser
        guard user == 0 || configuration.sandbox else {
            throw .refused(.misconfigured("the authenticator must run as root (only a sandbox may do without)"))
        }
        socket = configuration.authenticatorSocket
        brokerUser = try Self.uid(of: configuration.brokerUser)
        sealer =
            switch configuration.sealer {
            case .tpm: .tpm
            case .software: .software
            }
        registry = Registry(directory: configuration.registryDirectory, authenticatorUID: user)
        keys = try SigningKeys(directory: configuration.registryDirectory)
    }

    /// Connects to the broker, and refuses any process that runs as another user.
    func connect() throws(ConversationError) -> BrokerConnection {
        do throws(BrokerFailure) {
            return try BrokerConnection(path: socket, user: brokerUser, until: .now + BrokerLimits.connect)
        } catch {
            throw ConversationError(error)
        }
    }

    private static func uid(of name: String) throws(ConversationError) -> UInt32 {
        do throws(SystemError) {
            guard let account = try Account.named(name) else {
                throw SystemError("find the broker's account \(name)", reason: "there is none")
            }
            return account.uid
        } catch {
            throw .refused(.misconfigured(error))
        }
    }
}
