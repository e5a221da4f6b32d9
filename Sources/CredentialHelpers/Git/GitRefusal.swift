import Coffer

/// What git's helper refuses, before it looks anything up or stores anything. Programs disagree about such input, and a
/// server could get the password of another one.
enum GitRefusal {
    static let notALine = KeychainError(
        .invalidArgument, "a line of the input is not key=value",
        advice: "this program is for git; see gitcredentials(7)")

    /// - Parameter seen: the fields before this one, which is added.
    /// - Throws: `.invalidArgument`.
    static func checkOnce(_ field: GitField, after seen: inout Set<GitField>) throws(KeychainError) {
        // The last of two hosts would get the password of the first one (CVE-2020-5260).
        guard field.mayRepeat || seen.insert(field).inserted else {
            throw KeychainError(
                .invalidArgument, "\(field.rawValue) comes twice in the input", advice: "check the URL")
        }
    }

    /// - Throws: `.limitExceeded`.
    static func checkLength(_ count: Int, of field: GitField) throws(KeychainError) {
        guard count <= field.limit else {
            throw KeychainError(
                .limitExceeded, "the value of \(field.rawValue) has more than \(field.limit) bytes",
                advice: "Coffer cannot keep this credential")
        }
    }

    /// - Throws: `.invalidArgument`.
    static func checkBytes(_ value: [UInt8], of field: GitField) throws(KeychainError) {
        // Programs disagree about the line that such a value ends (CVE-2024-52006), and C ends it at NUL.
        guard !value.contains(UInt8(ascii: "\r")), !value.contains(0) else {
            throw KeychainError(
                .invalidArgument, "the value of \(field.rawValue) has a carriage return or a NUL byte",
                advice: "check the URL")
        }
    }

    /// - Throws: `.invalidArgument` if the request names none, so that an empty request never matches everything
    ///   (CVE-2020-11008).
    static func scheme(of request: GitRequest) throws(KeychainError) -> [UInt8] {
        guard let scheme = request.scheme, !scheme.isEmpty, scheme.allSatisfy(URLText.scheme.contains) else {
            throw unnamed("protocol")
        }
        return scheme
    }

    /// - Throws: `.invalidArgument` if the request names none.
    static func host(of request: GitRequest) throws(KeychainError) -> [UInt8] {
        // A certificate's password has no host, but the path of its file.
        guard let host = request.host, !host.isEmpty || !(request.path ?? []).isEmpty else { throw unnamed("host") }
        return host
    }

    /// Whether a user name is one line. Another program can have stored one that would bring further lines to git.
    static func isLine(_ name: String) -> Bool {
        !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// - Returns: nil if none was sent.
    /// - Throws: `.invalidArgument`.
    static func username(of request: GitRequest) throws(KeychainError) -> String? {
        guard let username = request.username else { return nil }
        guard let name = String(validating: username, as: UTF8.self),
            isLine(name)
        else {
            throw KeychainError(
                .invalidArgument, "the user name is not UTF-8, or has a control character", advice: "check the URL")
        }
        return name
    }

    private static func unnamed(_ field: String) -> KeychainError {
        KeychainError(
            .invalidArgument, "the request names no \(field)",
            advice: "this program is for git; see gitcredentials(7)")
    }
}
