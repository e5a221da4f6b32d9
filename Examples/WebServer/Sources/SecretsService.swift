import CofferConfiguration
import ServiceLifecycle

/// Has the provider forget what it fetched as soon as that changes or the vault is locked.
struct SecretsService: Service {
    let secrets: KeychainProvider

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await secrets.run() }
    }
}
