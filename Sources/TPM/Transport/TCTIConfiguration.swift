/// Where the TPM is. Nothing else is ever consulted: no environment variable, no loader's search list.
public enum TCTIConfiguration: Sendable, Hashable, CustomStringConvertible {
    /// A character device of the kernel's resource manager, `/dev/tpmrm0`.
    case device(path: String)
    /// swtpm's Unix socket, a plain stream of TPM commands, ours alone.
    case swtpm(path: String)

    /// Reads `device:/dev/tpmrm0` or `swtpm:path=/run/…/tpm.sock`. Throws `.unavailable` for anything else.
    public init(parsing text: String) throws(TPMError) {
        if text.hasPrefix("device:") {
            let path = String(text.dropFirst("device:".count))
            // Without the resource manager, what a killed broker leaves behind would stay in the TPM.
            guard path.hasPrefix("/"), path.split(separator: "/").last?.hasPrefix("tpmrm") == true else {
                throw TPMError(.unavailable, "\(text) is not a resource-managed TPM; set tcti to device:/dev/tpmrm0")
            }
            self = .device(path: path)
        } else if text.hasPrefix("swtpm:path=") {
            let path = String(text.dropFirst("swtpm:path=".count))
            guard path.hasPrefix("/") else {
                throw TPMError(.unavailable, "swtpm's socket needs an absolute path, not \(path)")
            }
            self = .swtpm(path: path)
        } else {
            throw TPMError(.unavailable, "unknown TPM address \(text); use device:/dev/tpmrm0 or swtpm:path=SOCKET")
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

    /// The kernel's resource manager flushes what is ours when we close; swtpm does not.
    var keepsLeftovers: Bool {
        if case .swtpm = self { true } else { false }
    }
}
