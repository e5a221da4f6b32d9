import BrokerProtocol

/// Stands in where root acts for an account that nobody can be asked for: the authenticator asks nothing then.
package struct NobodyPerson: Person {
    package init() {}

    package mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    package mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        throw KeychainError(
            .authenticationNeeded, "the authenticator asks for a person, and this keychain has none to ask",
            advice: "only root may open it")
    }
}
