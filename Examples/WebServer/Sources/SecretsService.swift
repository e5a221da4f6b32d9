import CofferConfiguration
import ServiceLifecycle

/// Has the provider forget what it fetched as soon as that changes or the vault is locked.
struct SecretsService: Service {
    let secrets: KeychainProvider

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // If the broker is started anew, everything was forgotten, and the provider listens again.
                try? await secrets.run()
                try? await Task.sleep(for: .seconds(1))  // It is only cut short at the end.
            }
        }
    }
}
