import Authorization
import BrokerProtocol
import Logging
import Varlink

/// `org.coffer.Broker` on the private socket: the methods that the authenticator calls. Only the authenticator's uid
/// is admitted.
struct AuthenticatorInterface: ServedInterface {
    let core: BrokerCore
    let authenticatorUID: UInt32
    private let exchanges = OpenExchanges()
    private let users = ConversationUsers()
    private let log: CallLog
    let interfaces = ServedInterfaces(
        product: "cofferd", version: ProductVersion.current,
        interfaces: [.init(name: BrokerInterface.interface, description: BrokerInterface.description)],
        methods: [
            BrokerInterface.Describe.self, BrokerInterface.Provision<RegistryRecord>.self,
            BrokerInterface.AdoptVault.self,
            BrokerInterface.Companions.self, BrokerInterface.ProvideKey.self, BrokerInterface.ConfirmEnrolment.self,
            BrokerInterface.ConfirmAcceptance.self, BrokerInterface.Prepare.self, BrokerInterface.Complete.self,
            BrokerInterface.Reseal.self, BrokerInterface.ResealForBoot.self, BrokerInterface.AdoptRoots.self,
            BrokerInterface.Renew.self, BrokerInterface.PrepareSuccession<RegistryRecord>.self,
            BrokerInterface.CompleteSuccession.self, BrokerInterface.Succeed<RegistryRecord>.self,
            BrokerInterface.AdoptSuccessor.self, BrokerInterface.Report.self, BrokerInterface.EndLeases.self,
            BrokerInterface.Refuse.self,
        ])

    init(core: BrokerCore, authenticatorUID: UInt32) {
        self.core = core
        self.authenticatorUID = authenticatorUID
        log = CallLog("authenticator's call", core.logger, clock: core.vaultStore.dependencies.clock)
    }

    var unreadable: Fault.Name { .brokerInvalidArgument }

    /// All connections belong to the authenticator, whichever user they are for.
    var keepsUsersApart: Bool { false }

    func admits(uid: UInt32) -> Bool { uid == authenticatorUID }

    /// Nobody is looked up for this socket.
    func ownsVault(uid: UInt32) -> Bool { false }

    func isLock(_ call: IncomingCall) -> Bool { false }

    /// The connection is silent while the person types, so it must not be closed as idle.
    func awaits(_ caller: Caller) -> Bool { true }

    func answer(
        _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer {
        let conversation = AuthenticatorSession(core: core, exchanges: exchanges, caller: caller)
        do throws(Fault) {
            let parameters = try call.parameters()
            users.note(parameters, over: caller.connection)
            if let answer = try interfaces.answer(parameters, to: call.method) { return .reply(answer) }
            let answer = try await answer(parameters, in: conversation)
            log.note(of: user(of: caller), LogFields.of(caller, method: call.method))
            return answer
        } catch {
            log.note(of: user(of: caller), LogFields.of(caller, method: call.method, outcome: error.name))
            throw error
        }
    }

    /// Whose pace the lines about a connection count to.
    private func user(of caller: Caller) -> UInt32 { users.uid(over: caller.connection) ?? caller.uid }

    private func answer(
        _ parameters: (any VarlinkMethod)?, in conversation: AuthenticatorSession
    ) async throws(Fault) -> MethodAnswer {
        switch parameters {
        case let call as BrokerInterface.Describe: try await conversation.describe(call)
        case let call as BrokerInterface.Provision<RegistryRecord>: try await conversation.provision(call)
        case let call as BrokerInterface.AdoptVault: try await conversation.adoptVault(call)
        case let call as BrokerInterface.Companions: try conversation.companions(call)
        case let call as BrokerInterface.ProvideKey: try await conversation.provideKey(call)
        case let call as BrokerInterface.ConfirmEnrolment: try await conversation.confirmEnrolment(call)
        case let call as BrokerInterface.ConfirmAcceptance: try await conversation.confirmAcceptance(call)
        case let call as BrokerInterface.Prepare: try await conversation.prepare(call)
        case let call as BrokerInterface.Complete: try await conversation.complete(call)
        case let call as BrokerInterface.Reseal: try await conversation.reseal(call)
        case let call as BrokerInterface.ResealForBoot: try await conversation.resealForBoot(call)
        case let call as BrokerInterface.AdoptRoots: try await conversation.adoptRoots(call)
        case let call as BrokerInterface.Renew: try await conversation.renew(call)
        case let call as BrokerInterface.PrepareSuccession<RegistryRecord>:
            try await conversation.prepareSuccession(call)
        case let call as BrokerInterface.CompleteSuccession: try await conversation.completeSuccession(call)
        case let call as BrokerInterface.Succeed<RegistryRecord>: try await conversation.succeed(call)
        case let call as BrokerInterface.AdoptSuccessor: try await conversation.adoptSuccessor(call)
        case let call as BrokerInterface.Report: try await conversation.report(call)
        case let call as BrokerInterface.EndLeases: try conversation.endLeases(call)
        case let call as BrokerInterface.Refuse: try await conversation.refuse(call)
        default: throw Fault(.brokerFailed, "the broker serves this method, and does not know it")
        }
    }

    func connectionEnded(_ caller: Caller) {
        exchanges.cancelAll(of: caller.connection)
        users.forget(caller.connection)
        core.challenges.connectionEnded(caller.connection)
        let vaultStore = core.vaultStore
        Task { await vaultStore.conversationEnded(caller.connection) }
    }
}
