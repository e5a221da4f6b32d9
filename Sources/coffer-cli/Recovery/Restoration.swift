import BrokerProtocol
import Coffer
import Cryptography
import Vault

/// Stores the items of an old vault in the present one, by ordinary calls.
struct Restoration {
    let old: RecoverableVault
    let session: Session
    let replace: Bool
    /// Looks only.
    let isTrial: Bool

    /// - Returns: what became of the items, and what ended it before the last of them.
    func run() -> (items: [RestoredItem], ending: KeychainError?) {
        var items: [RestoredItem] = []
        for item in old.items {
            do throws(KeychainError) { items.append(try restore(item)) } catch { return (items, error) }
        }
        return (items, nil)
    }

    private func restore(_ item: RecoverableVault.Item) throws(KeychainError) -> RestoredItem {
        let metadata = item.summary.metadata
        func outcome(_ outcome: RestoredItem.Outcome, _ reason: String? = nil) -> RestoredItem {
            RestoredItem(service: metadata.service, account: metadata.account, outcome: outcome, reason: reason)
        }
        guard item.isPortable else { return outcome(.lost) }
        if metadata.isExpired(at: SystemClock.now()) { return outcome(.expired) }
        do throws(KeychainError) {
            if !replace, try exists(metadata) { return outcome(.kept) }
            if !isTrial { try store(item) }
            return outcome(.restored)
        } catch {
            switch error.code {
            case .alreadyExists: return outcome(.kept)
            // This item's own trouble; the others may fare better.
            case .invalidArgument, .limitExceeded: return outcome(.refused, error.description)
            default: throw error
            }
        }
    }

    private func exists(_ metadata: Metadata) throws(KeychainError) -> Bool {
        try session.client.call(Keychain.Exists(service: metadata.service, account: metadata.account)).exists
    }

    private func store(_ item: RecoverableVault.Item) throws(KeychainError) {
        let metadata = item.summary.metadata
        let name = VisibleText.name(service: metadata.service, account: metadata.account)
        let value: String
        do throws(VaultError) { value = try old.value(of: item).base64Encoded() } catch {
            throw KeychainError(.invalidArgument, "its value cannot be read from the old file: \(error.reason)")
        }
        guard let access = Keychain.AccessControl(item.summary.access) else {
            // Never stored with less than it asked for.
            throw KeychainError(.invalidArgument, "what it asks for to be read cannot be said in a call")
        }
        var password: String?
        if access.require.contains(.appPassword) {
            do throws(KeychainError) {
                password = try session.passwordInput(for: name, noPrompt: false).new()
            } catch {
                guard error.code == .authenticationNeeded else { throw error }
                throw KeychainError(
                    .invalidArgument, "it takes a new application password, and there is no terminal to ask at")
            }
        }
        _ = try session.call(
            Keychain.Set(
                service: metadata.service, account: metadata.account, value: value, access: access,
                label: metadata.label ?? "", comment: metadata.comment ?? "", attributes: metadata.attributes,
                expires: metadata.expires.map { Int64(clamping: $0) } ?? 0, mode: replace ? .replace : .new,
                applicationPassword: password),
            for: name, command: session.unlockCommand)
    }
}

extension Keychain.AccessControl {
    /// What an item of a vault's file asks for, as calls have it: the names are the same.
    /// - Returns: nil where there is no such name, so that nothing is dropped.
    init?(_ access: AccessControl) {
        var require: [Keychain.Constraint] = []
        for name in access.constraints.description.split(separator: ", ") {
            guard let constraint = Keychain.Constraint(rawValue: String(name)) else { return nil }
            require.append(constraint)
        }
        guard let accessibility = Keychain.Accessibility(rawValue: access.accessibility.description) else { return nil }
        self.init(
            accessibility: accessibility, thisDeviceOnly: access.thisDeviceOnly, require: require,
            any: access.operator == .or)
    }
}

extension KeychainError {
    /// An old vault's file that does not open.
    init(recovering error: VaultError, file: String) {
        let path = VisibleText.line(file)
        switch error.code {
        case .notFound: self.init(.notFound, "\(path): \(error.reason)")
        case .authenticationFailed:
            self.init(
                .wrongPassword, "\(path): \(error.reason)",
                advice: "take the code that was valid when this copy was made")
        case .damaged: self.init(.damaged, "\(path): \(error.reason)")
        case .newerFormat: self.init(.damaged, "\(path): \(error.reason)")
        default: self.init(.failed, "\(path): \(error.reason)")
        }
    }
}
