import BrokerProtocol
import Varlink

extension ThrowAwayBroker {
    /// Makes an item that requires the fingers that are enrolled. If other ones were enrolled before, the items that
    /// required those are lost.
    /// - Parameter digest: stands for the enrolled fingers.
    public func makeItem(
        _ client: WireClient, service: String, account: String, requiringFingers digest: [UInt8]
    ) async throws {
        var method = Keychain.Set(
            service: service, account: account, value: "dg==", access: .init(require: [.biometryCurrentSet]))
        do { _ = try await client.call(method) } catch let fault as Fault where fault.name == .authenticationRequired {
            let challenge = fault.details.challenge ?? ""
            try await authenticator.enrol(challenge, set: digest)
            method.challenge = challenge
            _ = try await client.call(method)
        }
    }
}
