import Cryptography
import Foundation
import TPM

/// A TPM manufacturer that certifies the endorsement keys of simulators.
public struct TPMMaker: Sendable {
    public let folder: TemporaryFolder
    public let root: Certificate

    public init() throws {
        folder = try TemporaryFolder()
        try Tool.output(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=Maker", "-keyout", folder.path + "/ca.key", "-out", folder.path + "/ca.der",
                "-outform", "DER",
            ])
        root = try Certificate(der: [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.path + "/ca.der"))))
    }

    /// Stores a certificate for one TPM's key in a TPM, mostly the same one.
    public func certify(
        _ tpm: SWTPM, into other: SWTPM? = nil, _ template: EndorsementTemplate = .ecc,
        purpose: String = "2.23.133.8.1"
    ) throws {
        let path = folder.path
        let context = path + "/ek.ctx"
        try Tool.output(
            "tpm2_createek",
            [
                "-T", tpm.tools, "-Q", "-G", template == .ecc ? "ecc" : "rsa", "-c", context, "-f", "pem",
                "-u", path + "/ek.pem",
            ])
        try Tool.output("tpm2_flushcontext", ["-T", tpm.tools, "-t"])
        try Data("extendedKeyUsage=\(purpose)\nsubjectAltName=critical,dirName:t\n[t]\nCN=TPM\n".utf8)
            .write(to: URL(fileURLWithPath: path + "/extensions"))
        try Tool.output(
            "sh",
            [
                "-c",
                """
                openssl req -new -newkey rsa:2048 -nodes -subj / -keyout \(path)/any.key -out \(path)/any.csr &&
                openssl x509 -req -in \(path)/any.csr -force_pubkey \(path)/ek.pem -CA \(path)/ca.der -CAkey \(path)/ca.key \
                -days 2 -extfile \(path)/extensions -outform DER -out \(path)/ek.der && printf '\\377\\377\\377' >> \(path)/ek.der
                """,
            ])
        let size = try Data(contentsOf: URL(fileURLWithPath: path + "/ek.der")).count
        let (tools, handle) = (["-T", (other ?? tpm).tools], "0x" + String(template.certificateIndex, radix: 16))
        try Tool.output(
            "tpm2_nvdefine",
            tools + [
                "-Q", "-C", "p", "-s", "\(size)", "-a",
                "ppwrite|ppread|ownerread|authread|no_da|platformcreate", handle,
            ])
        try Tool.output("tpm2_nvwrite", tools + ["-Q", "-C", "p", "-i", path + "/ek.der", handle])
    }
}
