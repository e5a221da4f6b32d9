import Coffer
import FoundationEssentials
import JSON

/// What docker stores and gets, as JSON.
struct DockerCredentials: Codable {
    var serverURL: String
    var username: String
    var secret: String

    enum CodingKeys: String, CodingKey {
        case serverURL = "ServerURL"
        case username = "Username"
        case secret = "Secret"
    }

    init(serverURL: String, username: String, secret: String) {
        self.serverURL = serverURL
        self.username = username
        self.secret = secret
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        serverURL = try members.decodeIfPresent(String.self, forKey: .serverURL) ?? ""
        username = try members.decodeIfPresent(String.self, forKey: .username) ?? ""
        secret = try members.decodeIfPresent(String.self, forKey: .secret) ?? ""
    }

    /// - Throws: `.invalidArgument`, with the words that docker's client knows if the server or the user is missing.
    init(json: [UInt8]) throws(KeychainError) {
        do {
            // A decoder takes a member that comes twice, and another decoder may take the other one.
            try JSONReader.check(json)
            self = try JSONDecoder().decode(DockerCredentials.self, from: Data(json))
        } catch {
            // The decoder's error may quote the secret.
            throw Self.notDockers
        }
        guard !serverURL.isEmpty else { throw KeychainError(.invalidArgument, DockerWords.noServer) }
        guard !username.isEmpty else { throw KeychainError(.invalidArgument, DockerWords.noUser) }
    }

    private static let notDockers = KeychainError(.invalidArgument, "the input is not the JSON that docker sends")
}

/// Messages that docker and podman compare with.
enum DockerWords {
    static let notFound = "credentials not found in native keychain"
    static let noServer = "no credentials server URL"
    static let noUser = "no credentials username"
}

enum DockerJSON {
    static func line(_ value: some Encodable) throws(KeychainError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")] } catch {
            throw KeychainError(.failed, "the answer cannot be written as JSON")
        }
    }
}
