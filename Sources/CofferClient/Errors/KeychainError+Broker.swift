import BrokerProtocol
import Glibc
import Platform
import Varlink

extension KeychainError {
    /// A call to the broker that got no valid Varlink answer.
    /// - Parameter mayBeDone: whether it changes something, and was sent.
    init(broker failure: TransportFailure, path: String, mayBeDone: Bool) {
        let error = KeychainError(broker: failure, path: path)
        self = mayBeDone ? error.adding("the change may have been made") : error
    }

    private func adding(_ words: String) -> KeychainError {
        KeychainError(code, "\(message), and \(words)", advice: advice, cause: cause).naming(subject)
    }

    /// A call to the broker that got no valid Varlink answer.
    package init(broker failure: TransportFailure, path: String) {
        switch failure {
        // The broker drops such a connection, because it cannot know whose it is.
        case .unreachable where getuid() == PeerCredentials.unknownUser,
            .broken where getuid() == PeerCredentials.unknownUser:
            self.init(
                .notPermitted, "your user has number \(getuid()), which stands for users that the kernel cannot name",
                advice: "run the program as an account of its own")
        case .unreachable(let reason):
            let installed = path == SocketPaths.installedBroker
            self.init(
                .brokerUnreachable, "the broker is not running (\(path): \(reason))",
                advice: installed
                    ? "start it with: systemctl start cofferd.socket" : "start the broker that COFFER_SOCKET names")
        case .broken(let reason):
            self.init(
                .brokerUnreachable, "the connection to the broker broke: \(reason)",
                advice: "try again; if it breaks again, check the broker with: systemctl status cofferd")
        case .unnamed: self = .unnamedServer(of: path, .brokerUnreachable)
        case .deadline:
            self.init(
                .brokerSilent, "the broker did not answer in time",
                advice: "check it with: systemctl status cofferd")
        case .notUnderstood(let reason):
            self.init(
                .protocolViolation, "the broker cannot be understood: \(reason)",
                advice: "install coffer and cofferd of the same version")
        }
    }

    /// An error of `org.coffer.Keychain`, or of Varlink itself.
    ///
    /// - Parameter name: the requested item, as a person reads it.
    package init(brokerFault fault: Fault, about name: String? = nil) {
        switch fault.name {
        case .ambiguous:
            let accounts = fault.details.accounts ?? []
            self.init(
                .ambiguous, "there are several accounts of this service",
                advice: "name one of: \(accounts.map(VisibleText.quoted).joined(separator: ", "))",
                accounts: accounts)
        case .tpm: self = KnownFault.tpm(fault.details.kind).error(fault.details)
        case .failed where fault.details.kind == BrokerProtocol.Keychain.stopping:
            self = KnownFault.stopping.error(fault.details)
        case .authenticationRequired:
            self.init(
                .authenticationNeeded, "the broker asks for authentication once more", advice: "run the command again")
        case .methodNotFound, .interfaceNotFound, .methodNotImplemented:
            self.init(
                .protocolViolation, "the broker does not know how to do this",
                advice: "install coffer and cofferd of the same version")
        case .invalidParameter:
            self.init(.invalidArgument, "the broker does not accept \(fault.details.parameter ?? "a parameter")")
        default:
            self =
                KnownFault.broker[fault.name]?.error(fault.details, about: fault.name == .notFound ? name : nil)
                ?? KeychainError(.protocolViolation, "the broker gave an unknown error: \(fault.name.rawValue)")
        }
    }
}

/// A method that concerns one item, so that its errors can name the item.
protocol ItemNaming {
    /// The item's name as sentences show it: github/me.
    var shownName: String { get }
}

extension BrokerProtocol.Keychain.Get: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Show: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Edit: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Rotate: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Delete: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Rename: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.History: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.Restore: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.RestoreDeleted: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}

extension BrokerProtocol.Keychain.InVault: ItemNaming where Method: ItemNaming {
    var shownName: String { method.shownName }
}
