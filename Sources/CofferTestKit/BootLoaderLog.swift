import Cryptography

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
