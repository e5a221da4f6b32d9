import HTTP
import XML

/// What a server has to say about a failure. Its own words are left out, but for codes and regions of a known form.
package struct RemoteFailure: Error, Sendable, Equatable {
    /// The status of its answer; 0 if there was none.
    package var status = 0
    /// The code in Amazon's answers; empty if there is none.
    package var word = ""
    /// Why there was no answer.
    package var http: HTTPError?
    /// Why the answer cannot be read.
    package var xml: XMLError?
    /// Why nobody could ask it.
    package var program: CredentialsFailure?
    /// After how long it wants to be asked again, in seconds.
    package var retryAfter: Int64?
    /// How many seconds its clock is ahead of this machine's.
    package var skew: Int64 = 0
    /// The region where the bucket is; empty if it is not known.
    package var region = ""

    /// Whether it can end by itself soon.
    var isPassing: Bool {
        switch status {
        case 0: [.notConnected, .timedOut, .broken].contains(http?.code)
        case 408, 423, 425, 429, 500, 502, 503, 504: true
        default: false
        }
    }

    /// How it is told in an error.
    var reason: String {
        if let http { return http.reason }
        if let program { return program.reason }
        if let xml { return "its list cannot be read (\(xml.code))" }
        return "status \(status)\(word.isEmpty ? "" : ", \(word)")"
    }
}

extension RemoteFailure {
    /// Minutes by which clocks may differ before that is the reason of a refusal. Amazon allows 15.
    static let skew: Int64 = 300
    private static let longestPause: Int64 = 3600

    /// - Parameter now: this machine's clock, in seconds; nil if the request has no time in it.
    init(_ answer: HTTPAnswer, now: Int64?) {
        status = answer.status
        if let now, let date = answer.date { skew = date - now }
        if let text = answer.headers["retry-after"] {
            // A date counts from the server's own clock.
            retryAfter = Int64(text).map { min(max(0, $0), Self.longestPause) }
        }
        region = Self.word(answer.headers["x-amz-bucket-region"] ?? "")
        // `try?`: an error without a code is known by its status.
        guard let root = try? XMLDocument.read(answer.body), root.name == "Error" else { return }
        word = Self.word(root["Code"]?.text ?? "")
        if region.isEmpty { region = Self.word(root["Region"]?.text ?? "") }
    }

    private static func word(_ text: String) -> String {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            } ? text : ""
    }

    /// What it means for the store.
    var code: StoreError.Code {
        if let http {
            switch http.code {
            case .libraryMissing, .libraryTooOld: return .libraryMissing
            case .certificate: return .certificate
            case .tooLarge: return .notUnderstood
            default: return .unreachable
            }
        }
        if program != nil { return .credentials }
        if let xml { return xml.code == .libraryMissing ? .libraryMissing : .notUnderstood }
        switch status {
        case 401, 403:
            if Self.clockWords.contains(word) { return .clock }
            // A signature of another time is 403. A server that asks who it is says 401, also if the clocks differ.
            if status == 403, abs(skew) > Self.skew, word.isEmpty { return .clock }
            return status == 401 || Self.credentialWords.contains(word) ? .refused : .notPermitted
        case 301, 302, 303, 307, 308: return .moved
        // Keys that a cloud gives for some hours have ended.
        case 400 where Self.credentialWords.contains(word): return .refused
        // Amazon says so if a signature is for another region.
        case 400 where !region.isEmpty || word == "AuthorizationHeaderMalformed": return .moved
        case 404, 409, 410: return .missing
        case 405: return .readOnly
        case 413, 507: return .full
        case _ where isPassing: return .busy
        default: return .notUnderstood
        }
    }

    private static let clockWords = ["RequestTimeTooSkewed", "RequestExpired"]
    private static let credentialWords = [
        "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "InvalidSecurity",
    ]
}
