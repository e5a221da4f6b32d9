import Authorization
import Configuration
import Platform

/// The objects that a conversation needs, made from the configuration: the broker's account, keys and registry.
struct ConversationDependencies {
    private let socket: String
    private let brokerUser: UInt32
    let registry: Registry
    let keys: SigningKeys
    let sealer: SealerKind

    /// - Throws: ``ConversationError`` if the set-up would protect nothing.
    init(_ configuration: Configuration) throws(ConversationError) {
        let user = ProcessSurroundings.effectiveUser
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
