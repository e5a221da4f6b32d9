import BrokerProtocol
import Varlink

extension BrokerBackend {
    /// The attributes of all items of a vault, in as many replies as it takes. A single reply has room for some thousands only.
    package func allItems(in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        do {
            let deadline = ContinuousClock.now + CallLimits.broker
            let connection = try await AsyncVarlinkConnection.connect(path: paths.broker, until: deadline)
            defer { connection.close() }
            var items: [ItemAttributes] = []
            let method = Wire.InVault(Wire.List(), vault.choice)
            var replies = connection.replies(to: method, until: deadline).makeAsyncIterator()
            while let reply = try await replies.next() {
                for item in reply.items { items.append(try ItemAttributes(item)) }
            }
            return items
        } catch let error as KeychainError {
            throw error
        } catch let fault as Fault {
            throw KeychainError(brokerFault: fault)
        } catch let failure as TransportFailure {
            throw KeychainError(broker: failure, path: paths.broker)
        } catch { throw .cancelledByTask }
    }
}
