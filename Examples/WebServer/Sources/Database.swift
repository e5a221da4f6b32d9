import Configuration
import Foundation
import Hummingbird

/// Stands for a database. The file that `DATABASE_ACCOUNTS` names has the password that it accepts, as a database server has one of its own.
struct Database: Sendable {
    private let config: ConfigReader
    private let accounts: URL

    init(_ config: ConfigReader) throws {
        self.config = config
        accounts = URL(filePath: try config.requiredString(forKey: "database.accounts"))
    }

    /// Connects, and reads all customers. The password is fetched for each connection, so a new one counts from the next connection on.
    func customers() async throws -> [String] {
        let password = try await config.fetchRequiredString(forKey: "database.password", isSecret: true)
        guard try String(contentsOf: accounts, encoding: .utf8) == password else {
            throw HTTPError(.serviceUnavailable, message: "the database refused the password\n")
        }
        return ["Kim", "Robin"]
    }
}
