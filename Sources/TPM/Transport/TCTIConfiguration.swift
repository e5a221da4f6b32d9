/// The place of the TPM. Nothing else is ever consulted, neither environment variables nor a loader's search list.
public enum TCTIConfiguration: Sendable, Hashable, CustomStringConvertible {
    /// A character device of the kernel's resource manager, such as `/dev/tpmrm0`.
    case device(path: String)
    /// swtpm's Unix socket: a plain stream of TPM commands, used by Coffer alone.
    case swtpm(path: String)

    /// Parses `device:/dev/tpmrm0` or `swtpm:path=/run/…/tpm.sock`.
    ///
    /// - Throws: `.unavailable` for anything else.
    public init(parsing text: String) throws(TPMError) {
        if text.hasPrefix("device:") {
            let path = String(text.dropFirst("device:".count))
            // Without the resource manager, leftovers of a killed broker would stay in the TPM.
            guard path.hasPrefix("/"), path.split(separator: "/").last?.hasPrefix("tpmrm") == true else {
                throw TPMError(
                    .unavailable, "\(text) is not a resource-managed TPM", advice: "set “tcti” to device:/dev/tpmrm0")
            }
            self = .device(path: path)
        } else if text.hasPrefix("swtpm:path=") {
            let path = String(text.dropFirst("swtpm:path=".count))
            guard path.hasPrefix("/") else {
                throw TPMError(.unavailable, "swtpm's socket needs an absolute path, not \(path)")
            }
            self = .swtpm(path: path)
        } else {
            throw TPMError(
                .unavailable, "unknown TPM address \(text)", advice: "use device:/dev/tpmrm0 or swtpm:path=SOCKET")
        }
    }

    public var description: String {
        switch self {
        case .device(let path): "device:\(path)"
        case .swtpm(let path): "swtpm:path=\(path)"
        }
    }

    var path: String {
        switch self {
        case .device(let path), .swtpm(let path): path
        }
    }

    /// Whether handles stay in the TPM after closing. The kernel's resource manager flushes Coffer's own; swtpm does
    /// not.
    var keepsLeftovers: Bool {
        if case .swtpm = self { true } else { false }
    }
}
