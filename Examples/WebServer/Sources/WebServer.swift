import Coffer
import CofferConfiguration
import Configuration
import Foundation
import Hummingbird
import HummingbirdTLS

/// A server whose secrets are in the service vault of the account that it runs as. Nobody is there to be asked.
///
/// Root makes the vault and stores the secrets once:
/// ```
/// coffer vault create --owner www
/// coffer set com.example.web-server database.password --trim --user www --access after-first-unlock
/// coffer set com.example.web-server tls.certificateChain --trim --user www --access after-first-unlock < chain.pem
/// coffer set com.example.web-server tls.privateKey --trim --user www --access after-first-unlock < key.pem
/// ```
@main
struct WebServer {
    static func main() async {
        do { try await run() } catch {
            FileHandle.standardError.write(Data("web-server: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let secrets = KeychainProvider(Keychain(service: "com.example.web-server", prompts: .never))
        let config = ConfigReader(providers: [secrets, EnvironmentVariablesProvider()])

        // A fetch asks the broker. From then on the value is there for those who look it up without waiting, as HummingbirdTLS does.
        for key: ConfigKey in ["tls.certificateChain", "tls.privateKey"] {
            _ = try await config.fetchRequiredString(forKey: key, isSecret: true)
        }
        let tls = try TLSChannelConfiguration(reader: config)

        let database = try Database(config)
        let router = Router()
        router.get("customers") { _, _ in
            try await database.customers().map { "\($0)\n" }.joined()
        }
        let application = Application(
            router: router, server: try .tls(.http1(), configuration: tls),
            configuration: .init(
                address: .hostname("127.0.0.1", port: config.int(forKey: "server.port", default: 8443))),
            services: [SecretsService(secrets: secrets)],
            onServerRunning: { channel in
                print("listening on port \(channel.localAddress?.port ?? 0)")
                fflush(nil)
            })
        try await application.runService()
    }
}
