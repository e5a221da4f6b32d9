import Authorization
import Configuration
import Platform

/// What the configuration comes to on this machine: accounts looked up, key and registry at hand.
struct ConversationDependencies {
    private let socket: String
    private let brokerUser: UInt32
    let registry: Registry
    let keys: SigningKeys
    let sealer: SealerKind

    /// - Throws: ``ConversationError`` where the set-up would not protect anything.
    init(_ configuration: Configuration) throws(ConversationError) {
        let user = ProcessSurroundings.effectiveUser
        guard user == 0 || configuration.sandbox else {
            throw .refused(.misconfigured("The authenticator must run as root (only a sandbox may do without)."))
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

    /// To the broker, and to nobody who plays it.
    func connect() throws(ConversationError) -> BrokerConnection {
        do throws(BrokerFailure) {
            return try BrokerConnection(path: socket, user: brokerUser, until: .now + .seconds(5))
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
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
    }
}
