import Coffer
import HelperProtocol
import Platform

/// Finds the seed that belongs to an account: the field `otp` beside the password, or an item of its own.
enum SeedItem {
    /// Before there were fields, `coffer import` kept a seed beside the password, as `me:otp` beside `me`.
    private static let suffix = "otp"

    /// The name of the item that has the seed of an account.
    private static func account(beside account: String) -> String { account.isEmpty ? suffix : "\(account):\(suffix)" }

    /// The account whose seed an item of its own holds; nil for another item.
    static func account(ofCompanion account: String) -> String? {
        if account == suffix { return "" }
        return account.hasSuffix(":\(suffix)") ? String(account.dropLast(suffix.count + 1)) : nil
    }

    /// Finds the seed that a name means. Names and fields are enough for that, so nobody is asked.
    /// - Returns: the name as it was given, if nothing about it says that it has a seed.
    static func name(for name: PartialName, _ session: CommandSession) throws(KeychainError) -> PartialName {
        if let account = name.account { return try seed(of: account, name, session) ?? name }
        let items = try session.client.list(service: name.service).filter { $0.kind == (name.kind ?? .genericPassword) }
        var accounts: Set<String> = []
        for item in items {
            if item.field(.otp) != nil {
                accounts.insert(item.account)
            } else if items.count > 1, let account = Self.account(ofCompanion: item.account) {
                accounts.insert(account)
            }
        }
        guard accounts.count == 1, let account = accounts.first else { return name }
        return try seed(of: account, name, session) ?? name
    }

    /// The field comes first: it is the newer one where both are there.
    private static func seed(
        of account: String, _ name: PartialName, _ session: CommandSession
    ) throws(KeychainError) -> PartialName? {
        let own = PartialName(service: name.service, account: account, kind: name.kind)
        if try attributes(of: own, session)?.field(.otp) != nil { return own.with(.otp) }
        let beside = PartialName(service: name.service, account: Self.account(beside: account), kind: name.kind)
        guard let found = try attributes(of: beside, session) else { return nil }
        return found.field(.otp) == nil ? beside : beside.with(.otp)
    }

    /// - Returns: nil if there is no such item.
    private static func attributes(
        of name: PartialName, _ session: CommandSession
    ) throws(KeychainError) -> ItemAttributes? {
        do throws(KeychainError) { return try session.client.call(ItemCall.attributes(of: name)) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Where `set --otp` puts a seed: into the field `otp`, beside a password. An item that is nothing but a seed keeps it in its secret, where it was
    /// stored before there were fields.
    static func field(forNewSeedOf name: FullName, _ present: ItemAttributes?, _ session: CommandSession) -> FieldName {
        if present?.field(.otp) != nil { return .otp }
        if account(ofCompanion: name.account) != nil { return .secret }
        guard let present, present.field(.secret) != nil, present.access.requirements.isEmpty else { return .otp }
        // `try?`: nobody is asked for this. If the secret cannot be read now, it stays as it is.
        let found = try? session.client.call(ItemCall.read(name.partial, ReadRequest(mayUnlock: false)))
        guard let value = found?.value else { return .otp }
        defer { Wipe.storage(of: value) }
        // `try?`: every other value is no seed.
        return (try? OneTimeSeed(stored: value)) == nil ? .otp : .secret
    }
}
