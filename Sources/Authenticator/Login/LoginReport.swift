import Authorization
import BrokerProtocol
import Logging
import PAM
import Platform
import RootConfiguration
import Varlink

/// Takes one report from `pam_coffer` on one connection, in a process of its own. The report says that a login program let a person in, and the vault
/// is then opened.
public struct LoginReport {
    private let configuration: Configuration
    private let logger = Logger(
        label: "coffer-authenticator", factory: { label in StreamLogHandler.standardError(label: label) })

    public init(configuration: Configuration) {
        self.configuration = configuration
    }

    /// Takes the report from a connected socket and ends the process.
    public func run(on connection: consuming Descriptor) -> Never {
        var socket = UnixSocket(adopting: connection)
        var metadata: Logger.Metadata = [:]
        let outcome: Outcome
        do throws(ConversationError) {
            let program = try LoginProgram(ofSocket: socket.number, listed: configuration.loginPrograms)
            metadata["program"] = "\(EscapedText.escaped(program.path, limit: PromptLimits.program))"
            metadata["pid"] = "\(program.process.pid)"
            let account = try Self.account(from: &socket)
            metadata["uid"] = "\(account.uid)"
            outcome = try open(account, for: program)
            metadata["outcome"] = "\(outcome.rawValue)"
        } catch {
            outcome = .refused
            metadata["outcome"] = "\(error.outcome)"
            metadata["reason"] = "\(error.fault?.details.message ?? "")"
        }
        // `try?`: the answer is lost if the login no longer waits, and nothing depends on it.
        try? socket.send(
            Varlink.encode(VarlinkReply(Login.Report.Reply(opened: outcome.isOpen))),
            until: .now + LoginLimits.answer)
        logger.notice("login report", metadata: metadata)
        ChildProcess.endAll()
        ChildProcess.exitNow(0)
    }

    private enum Outcome: String {
        case opened
        case openAlready = "open already"
        case noVault = "no vault"
        /// A bound vault takes the password itself. A login's report only says that the password was right.
        case bound = "bound: opens at its first use"
        case refused

        var isOpen: Bool { self == .opened || self == .openAlready }
    }

    private static func account(from socket: inout UnixSocket) throws(ConversationError) -> Account {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let message = try socket.receiveMessage(limit: LoginWire.longestCall, until: .now + LoginLimits.call)
            else {
                throw SystemError("receive", reason: "the module closed the connection")
            }
            bytes = message
        } catch {
            throw .refused(.invalidArgument("the report cannot be taken: \(error)"))
        }
        // `try?`: a call that cannot be read gets the same refusal as one of another method.
        guard let call = try? IncomingCall(bytes, served: ServedMethods([Login.Report.self])),
            let report = (try? call.parameters()) as? Login.Report,
            (1...LoginWire.longestUser).contains(report.user.utf8.count)
        else { throw .refused(.invalidArgument("that is not a report of a login")) }
        do throws(SystemError) {
            guard let account = try Account.named(report.user) else {
                throw SystemError("find the account that logged in", reason: "the name service has none of that name")
            }
            return account
        } catch {
            throw .refused(.denied("the authenticator \(error.message)"))
        }
    }

    private func open(_ account: Account, for program: LoginProgram) throws(ConversationError) -> Outcome {
        let dependencies = try ConversationDependencies(configuration)
        let record: RegistryRecord
        do {
            guard let present = try dependencies.registry.record(for: .user(account.uid)) else { return .noVault }
            record = present
        } catch {
            throw .refused(.notCompleted("the registry cannot be used", error, kind: "damaged"))
        }
        try CheckedRequest.check(
            record, of: account.name, keys: dependencies.keys, sealer: dependencies.sealer)
        guard record.binding == nil else { return .bound }
        try checkRules(for: account)
        var broker = try dependencies.connect()
        let call = BrokerInterface.Report(
            uid: Int64(account.uid), unlocksScreens: configuration.screenPrograms.contains(program.path))
        let reply = try Self.report(call, to: &broker)
        guard reply.vault == record.vault.hex else {
            throw .refused(.challengeRefused("the broker would open a vault that is not the registered one"))
        }
        guard let challenge = reply.challenge else { return .openAlready }
        do throws(ConversationError) {
            // A login only opens the vault. It signs for nothing else.
            let unlock = BrokerInterface.Authorization(kind: AuthorizationKind.unlock.rawValue)
            guard reply.authorizations == [unlock] else {
                throw .refused(.challengeRefused("the broker asks for other signatures than opening a vault needs"))
            }
            try Signer(keys: dependencies.keys, challenge: challenge, record: record).sign(
                [SignatureWays.Signature(index: 0, kind: .unlock)], through: &broker)
        } catch {
            // Telling the broker lets it drop the challenge sooner. If the call fails, the challenge expires by itself.
            _ = try? broker.call(
                BrokerInterface.Refuse(challenge: challenge, reason: error.reason), within: BrokerLimits.refusal)
            throw error
        }
        return .opened
    }

    /// Checks that the account may be used now. The login program asks its own account rules only after its report.
    private func checkRules(for account: Account) throws(ConversationError) {
        // Modules can start programs, and none of them outlives this process.
        do throws(SystemError) { try ChildProcess.adoptOrphans() } catch { throw .refused(.misconfigured(error)) }
        let service = Service(name: ProofService.anyFactor.rawValue, directory: configuration.pamDirectory)
        try AccountRules(service: service, user: account.name).check()
    }

    private static func report(
        _ call: BrokerInterface.Report, to broker: inout BrokerConnection
    ) throws(ConversationError) -> BrokerInterface.Report.Reply {
        do throws(BrokerFailure) {
            return try broker.call(call, within: BrokerLimits.call)
        } catch {
            throw ConversationError(error)
        }
    }
}

/// The program that reports a login. Its report opens a vault. So it must run as root, outside any container, and be listed by root.
struct LoginProgram: Sendable, Equatable {
    let process: ProcessIdentity
    /// The program's file, as the kernel names it.
    let path: String

    /// - Parameter listed: the files of the programs whose reports count.
    /// - Throws: ``ConversationError`` for every other program.
    init(ofSocket descriptor: Int32, listed: [String]) throws(ConversationError) {
        do throws(SystemError) {
            let peer = try PeerCredentials(ofSocket: descriptor)
            guard peer.uid == 0 else {
                throw SystemError("take a login's report", reason: "it comes from uid \(peer.uid), not from root")
            }
            let held = try peer.hold(ofSocket: descriptor)
            let path = try ProcessLink.read("exe", of: peer.pid)
            let namespaces = try ProcessNamespaces(of: peer.pid)
            // This checks that all of the above was read from one process.
            try held.check()
            guard namespaces == (try ProcessNamespaces.initial()) else {
                throw SystemError("take a login's report", reason: "\(path) runs in a container")
            }
            guard listed.contains(path) else {
                throw SystemError("take a login's report", reason: "\(path) is not among login-programs")
            }
            self.process = held.identity
            self.path = path
        } catch {
            throw .refused(.denied("the authenticator \(error.message)"))
        }
    }
}
