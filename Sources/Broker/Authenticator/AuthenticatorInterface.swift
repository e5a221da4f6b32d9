import Authorization
import BrokerProtocol
import Logging

/// `org.coffer.Broker` on the private socket: what the authenticator asks and brings. Only its uid is let in.
struct AuthenticatorInterface: ServedInterface {
    let core: BrokerCore
    let authenticatorUID: UInt32
    private let exchanges = OpenExchanges()
    private let introspection = Introspection(interfaces: [(BrokerInterface.interface, InterfaceText.broker)])

    init(core: BrokerCore, authenticatorUID: UInt32) {
        self.core = core
        self.authenticatorUID = authenticatorUID
    }

    var unreadable: Fault.Name { .brokerInvalidArgument }

    /// All are the authenticator's, for whatever user.
    var keepsUsersApart: Bool { false }

    func admits(uid: UInt32) -> Bool { uid == authenticatorUID }

    /// A conversation is silent while the person types.
    func awaits(_ caller: Caller) -> Bool { true }

    func answer(_ call: IncomingCall, from caller: Caller) async throws(Fault) -> MethodAnswer {
        if let answer = try introspection.answer(call) { return answer }
        let conversation = AuthenticatorSession(core: core, exchanges: exchanges, caller: caller)
        do throws(Fault) {
            let answer = try await answer(call, in: conversation)
            core.logger.info("authenticator's call", metadata: LogFields.of(caller, method: call.method))
            return answer
        } catch {
            let isKnown = error.name != .methodNotFound && error.name != .interfaceNotFound
            core.logger.info(
                "authenticator's call",
                metadata: LogFields.of(caller, method: isKnown ? call.method : "unknown", outcome: error.name))
            throw error
        }
    }

    private func answer(_ call: IncomingCall, in conversation: AuthenticatorSession) async throws(Fault) -> MethodAnswer
    {
        switch call.method {
        case BrokerInterface.Describe.name:
            try conversation.describe(try call.parameters(of: BrokerInterface.Describe.self))
        case BrokerInterface.Provision<RegistryRecord>.name:
            try await conversation.provision(try call.parameters(of: BrokerInterface.Provision<RegistryRecord>.self))
        case BrokerInterface.Adopt.name:
            try await conversation.adopt(try call.parameters(of: BrokerInterface.Adopt.self))
        case BrokerInterface.Companions.name:
            try conversation.companions(try call.parameters(of: BrokerInterface.Companions.self))
        case BrokerInterface.ProvideKey.name:
            try await conversation.provideKey(try call.parameters(of: BrokerInterface.ProvideKey.self))
        case BrokerInterface.Prepare.name:
            try await conversation.prepare(try call.parameters(of: BrokerInterface.Prepare.self))
        case BrokerInterface.Complete.name:
            try await conversation.complete(try call.parameters(of: BrokerInterface.Complete.self))
        case BrokerInterface.Reseal.name:
            try await conversation.reseal(try call.parameters(of: BrokerInterface.Reseal.self))
        case BrokerInterface.ResealForBoot.name:
            try await conversation.resealForBoot(try call.parameters(of: BrokerInterface.ResealForBoot.self))
        case BrokerInterface.Renew.name:
            try await conversation.renew(try call.parameters(of: BrokerInterface.Renew.self))
        case BrokerInterface.Succeed<RegistryRecord>.name:
            try await conversation.succeed(try call.parameters(of: BrokerInterface.Succeed<RegistryRecord>.self))
        case BrokerInterface.Report.name:
            try await conversation.report(try call.parameters(of: BrokerInterface.Report.self))
        case BrokerInterface.Refuse.name:
            try await conversation.refuse(try call.parameters(of: BrokerInterface.Refuse.self))
        default: throw introspection.unknown(call.method)
        }
    }

    func connectionEnded(_ caller: Caller) {
        exchanges.cancelAll(of: caller.connection)
        core.challenges.connectionEnded(caller.connection)
        let vaultStore = core.vaultStore
        Task { await vaultStore.conversationEnded(caller.connection) }
    }
}
