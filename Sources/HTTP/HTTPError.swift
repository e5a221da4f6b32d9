import CCurl

/// Why a request got no answer. What the server says in one is not here.
package struct HTTPError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// libcurl is not installed.
        case libraryMissing
        /// It is older than 7.85.
        case libraryTooOld
        /// The name of the server, or of the proxy, is not known.
        case notResolved
        case notConnected
        /// The server is not the one that it claims to be.
        case certificate
        case timedOut
        /// It sends more than was asked for.
        case tooLarge
        /// It ended too early, or is no HTTP.
        case broken
        case other
    }

    package let code: Code
    /// libcurl's number; 0 if the failure did not come from there.
    package let raw: UInt32
    /// Fixed words of libcurl or of the dynamic linker.
    package let reason: String

    init(_ code: Code, raw: UInt32 = 0, reason: String) { (self.code, self.raw, self.reason) = (code, raw, reason) }

    init(raw: CURLcode, reason: String) { self.init(Self.code(of: raw), raw: raw.rawValue, reason: reason) }

    private static func code(of raw: CURLcode) -> Code {
        switch raw {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .notResolved
        case CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY: .notConnected
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            .certificate
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR: .tooLarge
        case CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2,
            CURLE_BAD_CONTENT_ENCODING:
            .broken
        default: .other
        }
    }
}
