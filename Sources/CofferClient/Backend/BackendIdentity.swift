/// Tells whether two backends are one place of items, for what a process has once for each
/// (docs/decisions/0021-once-in-a-process.md).
package struct BackendIdentity: Hashable, Sendable {
    private let object: ObjectIdentifier

    /// - Returns: nil for a backend that is a value, because nothing tells it from its copies.
    package init?(_ backend: any KeychainBackend) {
        switch backend {
        case let broker as BrokerBackend: object = ObjectIdentifier(broker.access)
        case let one as any (KeychainBackend & AnyObject): object = ObjectIdentifier(one)
        default: return nil
        }
    }
}
