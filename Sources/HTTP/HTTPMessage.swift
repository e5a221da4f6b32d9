import Cryptography

/// What a server is asked.
package struct HTTPRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case delete = "DELETE"
        case makeFolder = "MKCOL"
        case properties = "PROPFIND"
    }

    package var method: Method
    package var address: HTTPAddress
    /// Names and values, sorted by name, without escapes.
    package var query: [(name: String, value: String)] = []
    package var headers: [(name: String, value: String)] = []
    /// nil for none.
    package var body: [UInt8]?
    package var contentType = "application/octet-stream"
    /// The most bytes that an answer's body may have. A longer one ends the request.
    package var limit: Int

    package init(_ method: Method, _ address: HTTPAddress, limit: Int) {
        (self.method, self.address, self.limit) = (method, address, limit)
    }

    /// The whole address. Flags have a `=`, too, because libcurl 7.88 signs them wrongly without.
    var url: String {
        guard !query.isEmpty else { return address.text + (isFolder ? "/" : "") }
        let words = query.map { "\(Escapes.encoded($0.name))=\(Escapes.encoded($0.value))" }
        return address.text + (address.path.isEmpty || isFolder ? "/" : "") + "?" + words.joined(separator: "&")
    }

    /// Whether the address gets a `/` at its end.
    package var isFolder = false
}

/// Who asks. No part is ever in a log or an error.
package struct HTTPCredentials: Sendable {
    package enum Scheme: Sendable, Equatable {
        /// The name and the password as they are, so only over TLS or on this machine.
        case basic
        /// Amazon's signature, version 4: nobody sees the key. Also for other makers' servers.
        case signed(region: String)
    }

    package let scheme: Scheme
    package let name: String
    package let secret: SecretBytes
    /// Only for Amazon's signature: what goes with keys that end after some hours. Without control characters.
    package let token: SecretBytes?

    package init(_ scheme: Scheme, name: String, secret: SecretBytes, token: SecretBytes? = nil) {
        (self.scheme, self.name, self.secret, self.token) = (scheme, name, secret, token)
    }
}

/// What a server answers, within limits.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// By their names in lower case. Of several lines, the last counts.
    package let headers: [String: String]
    package let body: [UInt8]
    /// The server's clock in seconds since 1970; nil if it does not tell.
    package let date: Int64?

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], date: Int64? = nil) {
        (self.status, self.headers, self.body, self.date) = (status, headers, body, date)
    }
}
