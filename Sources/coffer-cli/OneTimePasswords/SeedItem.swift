import Coffer

/// The item that holds the seed of an account. `coffer import` keeps it beside the password, as `me:otp` beside `me`.
enum SeedItem {
    private static let suffix = "otp"

    /// The name of the seed that belongs to an account.
    static func account(beside account: String) -> String { account.isEmpty ? suffix : "\(account):\(suffix)" }

    /// Finds the seed that a name means. Names are enough for that, so nobody is asked.
    /// - Returns: the name as it was given, if nothing beside it holds a seed.
    static func name(for name: PartialName, _ session: CommandSession) throws(KeychainError) -> PartialName {
        if let account = name.account {
            let beside = Self.account(beside: account)
            let seed = PartialName(service: name.service, account: beside, kind: name.kind)
            return try session.client.call(ItemCall.exists(seed)) ? seed : name
        }
        let items = try session.client.list(service: name.service).filter { $0.kind == (name.kind ?? .genericPassword) }
        let seeds = items.map(\.account).filter { $0 == suffix || $0.hasSuffix(":\(suffix)") }
        guard items.count > 1, seeds.count == 1 else { return name }
        return PartialName(service: name.service, account: seeds[0], kind: name.kind)
    }
}
