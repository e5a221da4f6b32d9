import BrokerProtocol
import Platform
import RootConfiguration

/// Who can reach the TPM without Coffer? They cannot open a vault, but they can exhaust the TPM, clear it and watch
/// it.
enum TPMAccessCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard facts.sealer != nil else { return [] }
        let tcti = facts.configuration.tcti
        guard tcti.hasPrefix("device:") else {
            return [
                Keychain.Finding(
                    .tpmAccess, .note, "the TPM is a simulator: anyone who can reach its socket or state has its keys")
            ]
        }
        do throws(SystemError) {
            // TPMCheck has already reported a missing device.
            guard let device = try Device(String(tcti.dropFirst("device:".count))) else { return [] }
            return [finding(device, broker: facts.configuration.brokerUser)]
        } catch {
            return [Keychain.Finding(.tpmAccess, .note, "it is not known who can reach the TPM: \(error)")]
        }
    }

    /// The device file, with the names of its owner and group.
    struct Device {
        let path: String
        let owner: String
        let group: String
        let members: [String]
        let mode: UInt32

        init(path: String, owner: String, group: String, members: [String], mode: UInt32) {
            self.path = path
            self.owner = owner
            self.group = group
            self.members = members
            self.mode = mode
        }

        /// - Returns: nil if there is no such file.
        init?(_ path: String) throws(SystemError) {
            guard let status = try FileStatus.of(path) else { return nil }
            let group = try Group.withGID(status.gid)
            self.init(
                path: path, owner: try Account.withUID(status.uid)?.name ?? "uid \(status.uid)",
                group: group?.name ?? "gid \(status.gid)", members: group?.members ?? [], mode: status.mode)
        }
    }

    static func finding(_ device: Device, broker: String) -> Keychain.Finding {
        if device.mode & 0o006 != 0 {
            return Keychain.Finding(
                .tpmAccess, .problem, "everybody on this machine can use \(device.path)",
                advice: "let only root and group tss use it: chmod o= \(device.path), and check the udev rules")
        }
        let expected: Set<String> = ["root", "tss", broker]
        let members = device.mode & 0o060 == 0 ? [] : device.members
        let others = ([device.owner] + members).filter { !expected.contains($0) }
        guard others.isEmpty else {
            return Keychain.Finding(
                .tpmAccess, .problem,
                "\(device.path) (owner \(device.owner), group \(device.group)) can be used without Coffer by: \(others.joined(separator: ", "))",
                advice: "remove them from the group: gpasswd --delete NAME \(device.group)")
        }
        return Keychain.Finding(
            .tpmAccess, .ok,
            "\(device.path) can be used by \(device.owner) and group \(device.group), which has no member besides \(broker)"
        )
    }
}
