import Coffer
import FoundationEssentials

/// What docker and podman ask of a helper. A server has one user at a time.
struct DockerHelper: Sendable {
    let store: EntryStore

    /// Keeps a login. That of another user of the same server goes, in the same transaction.
    func add(_ credentials: DockerCredentials) async throws(KeychainError) {
        let server = try DockerServer(credentials.serverURL)
        let name = store.name(server.service, credentials.username)
        let others = try await names(server, includingExpired: true).filter { $0 != name }
        let attributes = server.attributes.merging(["application": store.application]) { $1 }
        try await store.store(
            NewItem(value: Array(credentials.secret.utf8), attributes: attributes, expiry: .never), as: name,
            deleting: others)
    }

    /// - Throws: `.notFound`, with the words that docker's client knows.
    func get(_ url: String) async throws(KeychainError) -> DockerCredentials {
        let server = try DockerServer(url)
        guard let name = try await names(server).first else { throw Self.notFound }
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

    /// An absent login is fine.
    func erase(_ url: String) async throws(KeychainError) {
        try await store.delete(try await names(try DockerServer(url), includingExpired: true))
    }

    /// The user of each server. Nobody is asked, and no secret is read.
    func list() async throws(KeychainError) -> [String: String] {
        var users: [String: String] = [:]
        for entry in try await store.entries() {
            let url = entry.attributes["url"] ?? String(entry.service.dropFirst("docker:".count))
            // The newest stays.
            if users[url] == nil { users[url] = entry.account }
        }
        return users
    }

    /// The entries of a server, the newest first.
    private func names(
        _ server: DockerServer, includingExpired: Bool = false
    ) async throws(KeychainError) -> [ItemName] {
        let attributes = server.attributes.filter { $0.key != "url" }
        return try await store.entries(attributes, includingExpired: includingExpired).map(\.name).filter {
            $0.service.utf8.elementsEqual(server.service.utf8)
        }
    }
}
