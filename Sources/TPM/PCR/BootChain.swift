/// The registers that cover the kernel's command line and its initrd, as far as the firmware's log of this boot shows.
///
/// The log is only a claim. A register's events count only if replaying them gives the register's value. An event's
/// text counts only if its digest is the event's, unless its writer measures something else than it logs.
public struct BootChain: Sendable, Hashable {
    /// Each of these sets covers the command line by itself. Empty if nothing was seen to cover it.
    public private(set) var commandLine: [Set<Int>] = []
    /// Each of these sets covers the initrd by itself. Empty if nothing was seen to cover it.
    public private(set) var initrd: [Set<Int>] = []
    /// The registers to tie a vault to here, besides those of the boot loader and Secure Boot.
    public private(set) var registers: Set<Int> = []
    /// Whether GRUB measures its commands here. If so, register 8 changes with each change of its menu.
    public private(set) var hasGRUB = false
    /// The witnesses that the log does not explain. They may hold more than is known.
    public private(set) var unexplained: Set<Int> = []

    /// The registers whose values are needed to find this out.
    public static let witnesses: Set<Int> = [8, 9, 11, 12, 13]

    /// The register of the boot loader, and of the kernel or unified kernel image. An attacker who starts another
    /// loader can measure anything into the other registers.
    private static let loader = 4

    /// - Parameters:
    ///   - log: the log of this boot.
    ///   - values: the values of the TPM's registers. Events of a missing register do not count.
    public init(_ log: MeasurementLog, values: [Int: [UInt8]]) throws(TPMError) {
        var vouched: [Int: [MeasurementLog.Event]] = [:]
        for register in Self.witnesses {
            guard let value = values[register] else { continue }
            let events = log.events.filter { $0.register == register }
            if try Self.explains(events, value, register) { vouched[register] = events }
        }
        try read(vouched)
        unexplained = Self.witnesses.subtracting(vouched.keys)
    }

    private mutating func read(_ events: [Int: [MeasurementLog.Event]]) throws(TPMError) {
        let files = events[9] ?? []
        // The firmware measures a unified kernel image as a whole. The stub also accepts another command line,
        // credentials and extensions, and measures those. So an empty register counts too.
        if try Self.has(events[11], { (event) throws(TPMError) in try event.isKernelSection }) {
            if events[12] != nil { add([12], to: \.commandLine) }
            if events[12] != nil, events[13] != nil { add([12, 13], to: \.initrd) }
        } else if try Self.has(events[12], { (event) throws(TPMError) in try event.isWideText }) {
            // systemd-boot, with a kernel that is not a unified image.
            add([12], to: \.commandLine)
        }
        if try Self.has(events[8], { (event) throws(TPMError) in try event.isGRUBCommandLine }) {
            hasGRUB = true
            add([8], to: \.commandLine)
            // All files that it reads.
            if files.contains(where: { $0.type == MeasurementLog.Event.loader }) { add([9], to: \.initrd) }
        }
        // A kernel that measures its options also measures its initrd, if there is one.
        let measuresOptions = files.contains { $0.tag == MeasurementLog.Event.loadOptions }
        let measuresInitrd = files.contains { $0.tag == MeasurementLog.Event.kernelsInitrd }
        if measuresOptions, commandLine.isEmpty { registers.insert(9) }
        if measuresOptions || measuresInitrd, initrd.isEmpty { registers.insert(9) }
        if measuresOptions { commandLine.append([Self.loader, 9]) }
        if measuresOptions || measuresInitrd { initrd.append([Self.loader, 9]) }
    }

    private static func has(
        _ events: [MeasurementLog.Event]?, _ test: (MeasurementLog.Event) throws(TPMError) -> Bool
    ) throws(TPMError) -> Bool {
        for event in events ?? [] where try test(event) { return true }
        return false
    }

    private mutating func add(_ found: Set<Int>, to part: WritableKeyPath<BootChain, [Set<Int>]>) {
        self[keyPath: part].append(found.union([Self.loader]))
        registers.formUnion(found)
    }

    /// Whether a tie to these registers covers the command line or the initrd.
    public func holds(_ part: KeyPath<BootChain, [Set<Int>]>, _ registers: Set<Int>) -> Bool {
        self[keyPath: part].contains { $0.isSubset(of: registers) }
    }

    /// Whether replaying the events gives this value. In register 11, systemd measures phases of the start after the
    /// firmware's log has ended.
    private static func explains(
        _ events: [MeasurementLog.Event], _ value: [UInt8], _ register: Int
    ) throws(TPMError) -> Bool {
        var reached = [UInt8](repeating: 0, count: 32)
        for event in events { reached = try Digest.sha256(reached + event.digest) }
        if reached == value { return true }
        guard register == 11 else { return false }
        for phases in [["enter-initrd", "leave-initrd", "sysinit", "ready"], ["sysinit", "ready"]] {
            var later = reached
            for phase in phases {
                later = try Digest.sha256(later + Digest.sha256(Array(phase.utf8)))
                if later == value { return true }
            }
        }
        return false
    }
}

extension MeasurementLog.Event {
    /// `EV_IPL`
    static let loader: UInt32 = 0xD
    /// `EV_EVENT_TAG`
    private static let tagged: UInt32 = 6
    /// The tags of the two measurements by Linux's EFI stub (`efi-stub-helper.c`).
    static let kernelsInitrd: UInt32 = 0x8F3B_22EC
    static let loadOptions: UInt32 = 0x8F3B_22ED

    /// `TCG_PCClientTaggedEvent`: a number, a length, and that many bytes.
    var tag: UInt32? {
        guard type == Self.tagged else { return nil }
        var reader = LogReader(data)
        // Data that is too short has no tag.
        guard let tag = try? reader.number32(), let length = try? reader.number32(),
            (try? reader.take(Int(length))) != nil, reader.isAtEnd
        else { return nil }
        return tag
    }

    /// GRUB measures the text without the word before it (GRUB's manual, "Measuring boot components").
    var isGRUBCommandLine: Bool {
        get throws(TPMError) {
            guard type == Self.loader else { return false }
            for word in ["kernel_cmdline: ", "grub_kernel_cmdline "] where data.starts(with: word.utf8) {
                let text = data.dropFirst(word.utf8.count)
                return try Digest.sha256([UInt8](text.last == 0 ? text.dropLast() : text)) == digest
            }
            return false
        }
    }

    /// systemd-stub measures a section's name with its final zero, but logs it in UTF-16 (systemd, "TPM2 PCR
    /// Measurements Made by systemd").
    var isKernelSection: Bool {
        get throws(TPMError) {
            let name = Array(".linux\0".utf8)
            guard type == Self.loader, data == name.flatMap({ [$0, 0] }) else { return false }
            return try Digest.sha256(name) == digest
        }
    }

    /// systemd-boot and systemd-stub measure a command line in UTF-16. Older versions include the final zero.
    var isWideText: Bool {
        get throws(TPMError) {
            guard type == Self.loader, data.count > 2, data.count.isMultiple(of: 2) else { return false }
            let text = data.suffix(2).allSatisfy { $0 == 0 } ? [UInt8](data.dropLast(2)) : data
            if try Digest.sha256(text) == digest { return true }
            return try Digest.sha256(text + [0, 0]) == digest
        }
    }
}
