import CofferConfiguration
import ServiceLifecycle

/// Has the provider forget what it fetched as soon as that changes or the vault is locked.
struct SecretsService: Service {
    let secrets: KeychainProvider

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // `try?`: if the broker restarts, the provider has forgotten everything, and listens again.
                try? await secrets.run()
                try? await Task.sleep(for: .seconds(1))  // `try?`: only the end of the service cuts it short.
            }
        }
    }
}
