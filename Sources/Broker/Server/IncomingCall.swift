import BrokerProtocol

/// One call as it came over a socket. Its parameters are read when the method is known.
struct IncomingCall: Sendable {
    let method: String
    /// Several answers are welcome.
    let more: Bool
    /// No answer is wanted, not even an error.
    let oneway: Bool
    /// Whether the caller has hung up.
    let isAbandoned: @Sendable () -> Bool
    private let message: VarlinkMessage

    /// - Throws: for what is no Varlink call; the connection is not worth keeping then.
    init(_ message: VarlinkMessage, isAbandoned: @escaping @Sendable () -> Bool = { false }) throws {
        self.isAbandoned = isAbandoned
        let header = try message.decode(VarlinkCallHeader.self)
        self.method = header.method
        self.more = header.more ?? false
        self.oneway = header.oneway ?? false
        self.message = message
    }

    /// - Throws: `InvalidParameter`, naming the parameter that is missing or of another type.
    func parameters<Method: VarlinkMethod>(of type: Method.Type) throws(Fault) -> Method {
        do {
            if let parameters = try message.decode(VarlinkParameters<Method>.self).parameters {
                return parameters
            }
            return try Varlink.decode(Method.self, from: Array("{}".utf8))
        } catch let error as DecodingError {
            throw Fault(parameters: error)
        } catch {
            throw Fault(.invalidParameter, Fault.Details(message: "The parameters cannot be read."))
        }
    }

    /// Which vault the call is about; parameters that every method takes.
    func vaultChoice() throws(Fault) -> Keychain.VaultChoice {
        do {
            return try message.decode(VarlinkParameters<Keychain.VaultChoice>.self).parameters
                ?? Keychain.VaultChoice()
        } catch let error as DecodingError {
            throw Fault(parameters: error)
        } catch {
            throw Fault(.invalidParameter, Fault.Details(message: "The parameters cannot be read."))
        }
    }
}
