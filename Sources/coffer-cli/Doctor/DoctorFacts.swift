import BrokerProtocol
import Coffer

/// The replies of the broker and the authenticator, each asked once. Nobody is asked for a factor, and no value is read.
struct DoctorFacts {
    let status: Result<Keychain.Status.Reply, KeychainError>
    let biometry: Result<Authentication.Biometry.Reply, KeychainError>
    /// The uid that the authenticator runs as, which the kernel gives; nil if it did not answer.
    let authenticatorUser: UInt32?
    let items: Result<[Keychain.Item], KeychainError>
    let diagnosis: Result<Keychain.Diagnose.Reply, KeychainError>

    init(
        status: Result<Keychain.Status.Reply, KeychainError>,
        biometry: Result<Authentication.Biometry.Reply, KeychainError>, authenticatorUser: UInt32?,
        items: Result<[Keychain.Item], KeychainError>,
        diagnosis: Result<Keychain.Diagnose.Reply, KeychainError>
    ) {
        self.status = status
        self.biometry = biometry
        self.authenticatorUser = authenticatorUser
        self.items = items
        self.diagnosis = diagnosis
    }

    init(asking client: KeychainClient) {
        status = Self.asked { () throws(KeychainError) in try client.call(Keychain.Status()) }
        let authenticator = Self.asked { () throws(KeychainError) in try client.biometry() }
        biometry = authenticator.map(\.answer)
        authenticatorUser = if case .success(let found) = authenticator { found.uid } else { nil }
        items = Self.asked { () throws(KeychainError) in try client.list(service: nil) }
        diagnosis = Self.asked { () throws(KeychainError) in try client.call(Keychain.Diagnose()) }
    }

    private static func asked<Answer>(
        _ question: () throws(KeychainError) -> Answer
    ) -> Result<Answer, KeychainError> {
        do throws(KeychainError) { return .success(try question()) } catch { return .failure(error) }
    }
}

extension DoctorFinding {
    /// A finding for a question that got an error.
    init(_ check: Keychain.Check, _ error: KeychainError) {
        self.init(
            check: check, verdict: .problem, message: VisibleText.sentence(error.message),
            advice: error.advice.isEmpty ? nil : error.advice)
    }
}
