import Cryptography

/// The boots of a TPM's machine, as far as the TPM notices them.
extension SWTPM {
    /// Extends a register with the digest of something that is started.
    public func measure(_ register: Int, _ digest: [UInt8]) throws {
        let text = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try Tool.output("tpm2_pcrextend", ["-T", tools, "\(register):sha256=\(text)"])
    }

    /// Switches the power off and on, which resets the registers.
    public func powerCycle() throws {
        try Tool.output("swtpm_ioctl", ["--unix", socket + ".ctrl", "-i"])
        try Tool.output("tpm2_startup", ["-T", tools, "-c"])
    }

    /// Acts as an attacker who replaces an index by their own, with the same attributes and policy. That is possible because owner authorization is
    /// empty.
    public func redefine(_ handle: UInt32, attributes: String, size: Int, policy: [UInt8]) throws {
        let (text, path) = ("0x" + String(handle, radix: 16), folder.path + "/redefined")
        let bytes = policy.map { "\\" + String($0, radix: 8) }.joined()
        try Tool.output("sh", ["-c", "printf '\(bytes)' > \(path)"])
        try Tool.output("tpm2_nvundefine", ["-T", tools, "-Q", "-C", "o", text])
        try Tool.output(
            "tpm2_nvdefine", ["-T", tools, "-Q", "-C", "o", "-s", "\(size)", "-a", attributes, "-L", path, text])
    }
}

/// Makes a firmware's log of measurements, with SHA-1 and SHA-256 digests.
public enum FirmwareLogMaker {
    public struct Event {
        public var register: UInt32
        public var type: UInt32
        /// 32 bytes.
        public var digest: [UInt8]
        public var data: [UInt8]

        public init(_ register: UInt32, _ type: UInt32, _ digest: [UInt8], _ data: [UInt8] = Array("data".utf8)) {
            self.register = register
            self.type = type
            self.digest = digest
            self.data = data
        }
    }

    public static func log(_ events: [Event], locality: UInt8? = nil) -> [UInt8] {
        let specification =
            Array("Spec ID Event03\0".utf8) + number(0) + [0, 2, 0, 2] + number(2) + [4, 0, 20, 0, 0x0B, 0, 32, 0, 0]
        var bytes = number(0) + number(3) + [UInt8](repeating: 0, count: 20)
        bytes += number(UInt32(specification.count)) + specification
        if let locality {
            bytes += encoded(
                Event(0, 3, [UInt8](repeating: 0, count: 32), Array("StartupLocality\0".utf8) + [locality]))
        }
        return events.reduce(into: bytes) { $0 += encoded($1) }
    }

    /// The firmware's record of an image that it starts.
    public static func image(_ path: String) -> [UInt8] {
        let units = path.replacing("/", with: "\\").utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let node = [4, 4] + short(4 + units.count + 2) + units + [0, 0]
        let disk: [UInt8] = [4, 1, 8, 0, 1, 2, 3, 4]
        let nodes = disk + node + [0x7F, 0xFF, 4, 0]
        return [UInt8](repeating: 0, count: 24) + number(UInt32(nodes.count)) + number(0) + nodes
    }

    private static func encoded(_ event: Event) -> [UInt8] {
        number(event.register) + number(event.type) + number(2) + [4, 0] + [UInt8](repeating: 1, count: 20) + [0x0B, 0]
            + event.digest + number(UInt32(event.data.count)) + event.data
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func short(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}

/// Makes the log events of boot loaders: what they measure, and what they record of it.
public enum BootLoaderLog {
    public typealias Event = FirmwareLogMaker.Event

    /// GRUB measures each command and the command line into register 8, and each file that it reads into register 9.
    public static func grub(_ commandLine: String, initrd: [UInt8]) throws -> [Event] {
        let command = "linux \(commandLine)"
        return [
            Event(8, 0xD, try digest(command), Array("grub_cmd: \(command)\0".utf8)),
            Event(9, 0xD, try digest("kernel"), Array("(hd0,gpt2)/vmlinuz\0".utf8)),
            Event(8, 0xD, try digest(commandLine), Array("kernel_cmdline: \(commandLine)\0".utf8)),
            Event(9, 0xD, initrd, Array("(hd0,gpt2)/initrd.img\0".utf8)),
        ]
    }

    /// The kernel as a UEFI program. It measures its command line, but does not record it.
    public static func kernelStub(_ commandLine: String, initrd: [UInt8]) throws -> [Event] {
        [
            Event(
                9, 6, try SHA256.digest(wide(commandLine) + [0, 0]), tagged(0x8F3B_22ED, "LOADED_IMAGE::LoadOptions")),
            Event(9, 6, initrd, tagged(0x8F3B_22EC, "Linux initrd")),
        ]
    }

    /// systemd-stub measures the sections of the unified image into register 11. It measures a command line that was passed to it into register 12.
    public static func systemdStub(_ sections: [String], commandLine: String?) throws -> [Event] {
        var events: [Event] = []
        for name in sections {
            events.append(Event(11, 0xD, try digest(name + "\0"), wide(name) + [0, 0]))
            events.append(Event(11, 0xD, try digest("content of \(name)"), wide(name) + [0, 0]))
        }
        guard let commandLine else { return events }
        return events + [Event(12, 0xD, try SHA256.digest(wide(commandLine)), wide(commandLine) + [0, 0])]
    }

    private static func digest(_ text: String) throws -> [UInt8] { try SHA256.digest(Array(text.utf8)) }

    private static func wide(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    private static func tagged(_ tag: UInt32, _ text: String) -> [UInt8] {
        let content = Array(text.utf8) + [0]
        return [tag, UInt32(content.count)].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        } + content
    }
}
