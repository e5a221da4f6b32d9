import HTTP

/// What people are told about a store on a server.
extension StoreError {
    private var remoteReason: String { remote?.reason ?? "no reason is known" }

    /// nil if the error is not about a server.
    var remoteMessage: String? {
        guard remote != nil || isRemoteOnly else { return nil }
        return switch code {
        case .missing: "\(path) is not there: \(remoteReason)"
        case .notPermitted: "You may not use \(path): \(remoteReason)"
        case .readOnly: "You may not write to \(path): \(remoteReason)"
        case .full: "There is no room in \(path): \(remoteReason)"
        case .libraryMissing: "\(path) needs \(library.name), which cannot be used: \(libraryReason)"
        case .unreachable: "\(path) cannot be reached: \(remoteReason)"
        case .certificate: "The server of \(path) does not prove that it is the right one: \(remoteReason)"
        case .busy: "The server of \(path) is busy: \(remoteReason)"
        case .refused: "The server does not take the credentials of \(path): \(remoteReason)"
        case .credentials: "The program gives no credentials of \(path): \(remoteReason)"
        case .clock: "The server refuses this machine's clock: it is \(skewWords) the clock of \(path)"
        case .moved: "\(path) is somewhere else: \(remoteReason)"
        case .notUnderstood: "The answer of \(path) is not what was asked for: \(remoteReason)"
        default: nil
        }
    }

    var remoteAdvice: String? {
        guard remote != nil || isRemoteOnly else { return nil }
        return switch code {
        case .missing: "Create the bucket or the folder, or check its name"
        case .notPermitted: "Ask its owner to let you read, write, list and delete there"
        case .readOnly: "Ask its owner to let you write and delete there"
        case .full: "Free some room or quota there, and try again; nothing is lost here"
        case .libraryMissing: "Install it: sudo apt install \(library.package)"
        case .unreachable: "Look at the network and the proxy; what is new here is kept, and carried the next time"
        case .certificate: "Look at its address; if it has a certificate of its own, add that to the system's"
        case .busy: "Try again later; what is new here is kept"
        case .refused: "Give the right ones with: coffer sync store set"
        case .credentials: "See which it is with coffer sync store show, and run it as the owner of the vault"
        case .clock: "Set this machine's clock"
        case .moved:
            remote?.region.isEmpty == false
                ? "Name its region: --region \(remote?.region ?? "")" : "Name the address to which it has moved"
        case .notUnderstood:
            "Check that the address is that of a store, and that no proxy or login page answers instead"
        default: nil
        }
    }

    /// Codes that only servers have.
    private var isRemoteOnly: Bool {
        [
            .libraryMissing, .unreachable, .certificate, .busy, .refused, .credentials, .clock, .moved, .notUnderstood,
        ].contains(code)
    }

    private var library: (name: String, package: String) {
        remote?.xml == nil ? ("libcurl", "libcurl4") : ("expat", "libexpat1")
    }

    private var libraryReason: String {
        if let xml = remote?.xml { return xml.reason }
        return remote?.http?.reason ?? "no reason is known"
    }

    private var skewWords: String {
        let skew = remote?.skew ?? 0
        let minutes = abs(skew) / 60
        guard minutes > 0 else { return "too far from" }
        let text =
            minutes < 120 ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
        // The server's clock is ahead, so this one is behind.
        return "\(text) \(skew > 0 ? "behind" : "ahead of")"
    }
}
