import Coffer
import FoundationEssentials

/// What docker and podman ask of a helper. A server has one user at a time.
struct DockerHelper: Sendable {
    let store: EntryStore

    /// Keeps a login. That of another user of the same server goes into the bin, in the same transaction.
    func add(_ credentials: DockerCredentials) async throws(KeychainError) {
        let server = try DockerServer(credentials.serverURL)
        try await EntryStore.beginningAgain { () async throws(KeychainError) in try await addOnce(credentials, server) }
        try await EntryStore.beginningAgain { () async throws(KeychainError) in try await keepOne(server) }
    }

    private func addOnce(_ credentials: DockerCredentials, _ server: DockerServer) async throws(KeychainError) {
        let name = store.name(server.service, credentials.username)
        let others = try await entries(server, includingExpired: true).filter { $0.name != name }
        let attributes = server.attributes.merging(["application": store.application]) { $1 }
        let login = NewItem(value: Array(credentials.secret.utf8), attributes: attributes, expiry: .never)
        try await store.storeOnce(login, as: name, replacing: others)
    }

    /// Two logins at once do not see each other before both are stored. So each looks again. Both find the entries in
    /// the same order, so they keep the same one.
    private func keepOne(_ server: DockerServer) async throws(KeychainError) {
        let others = try await entries(server, includingExpired: true).dropFirst()
        try await store.delete(others.map { ItemChange.putAside($0.name, if: .isUnchanged(since: $0)) })
    }

    /// - Throws: `.notFound`, with the words that docker's client knows.
    func get(_ url: String) async throws(KeychainError) -> DockerCredentials {
        let server = try DockerServer(url)
        guard let name = try await entries(server).first?.name else { throw Self.notFound }
        let item: Item
        do throws(KeychainError) {
            guard let read = try await store.read([name], reason: "Log in to \(server.service.dropFirst(7))").first
            else { throw Self.notFound }
            item = read
        } catch {
            // It was erased meanwhile.
            guard error.code == .notFound else { throw error }
            throw Self.notFound
        }
        guard let secret = String(validating: item.value, as: UTF8.self) else {
            throw KeychainError(
                .notText, "the login is not text", advice: "look at it with coffer get, and log in again")
        }
        return DockerCredentials(serverURL: url, username: name.account, secret: secret)
    }

    private static let notFound = KeychainError(.notFound, DockerWords.notFound)

    /// Deletes a login for good, because a person has logged out. An absent login is fine.
    func erase(_ url: String) async throws(KeychainError) {
        try await store.delete(try await entries(try DockerServer(url), includingExpired: true).map(\.name))
    }

    /// The user of each server. Nobody is asked, and no secret is read.
    func list() async throws(KeychainError) -> [String: String] {
        var users: [String: String] = [:]
        for entry in try await store.entries().sorted(by: Self.isLater) {
            let url = entry.attributes["url"] ?? String(entry.service.dropFirst("docker:".count))
            // The newest stays.
            if users[url] == nil { users[url] = entry.account }
        }
        return users
    }

    /// The entries of a server, the latest first.
    private func entries(
        _ server: DockerServer, includingExpired: Bool = false
    ) async throws(KeychainError) -> [ItemAttributes] {
        let attributes = server.attributes.filter { $0.key != "url" }
        return try await store.entries(attributes, includingExpired: includingExpired)
            .filter { $0.service.utf8.elementsEqual(server.service.utf8) }
            .sorted(by: Self.isLater)
    }

    /// By the time of the last change, then by the user, so that no two entries of a server have one place.
    private static func isLater(_ one: ItemAttributes, _ other: ItemAttributes) -> Bool {
        guard one.modified == other.modified else { return one.modified > other.modified }
        return other.account.utf8.lexicographicallyPrecedes(one.account.utf8)
    }
}
