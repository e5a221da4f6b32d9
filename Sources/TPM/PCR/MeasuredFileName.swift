extension MeasurementLog.Event {
    /// The measured file, as boot loader or firmware name it, with `/` between folders. nil if no file was measured, or
    /// if it has no name. The log does not name the file's file system.
    ///
    /// TCG PC Client Platform Firmware Profile, section 10.4. For GRUB, "Measuring boot components" of its manual.
    public var fileName: String? {
        switch type {
        case Self.application, Self.bootDriver, Self.runtimeDriver: Self.clean(Self.imagePath(data))
        case Self.loader where register == 9: Self.clean(Self.loaderPath(data))
        default: nil
        }
    }

    /// `EV_EFI_BOOT_SERVICES_APPLICATION`
    private static let application: UInt32 = 0x8000_0003
    /// `EV_EFI_BOOT_SERVICES_DRIVER`
    private static let bootDriver: UInt32 = 0x8000_0004
    /// `EV_EFI_RUNTIME_SERVICES_DRIVER`
    private static let runtimeDriver: UInt32 = 0x8000_0005

    /// `UEFI_IMAGE_LOAD_EVENT`: three numbers, the length of a device path, and the path. Some of its nodes are a
    /// file's path.
    private static func imagePath(_ data: [UInt8]) -> String? {
        guard data.count > 32 else { return nil }
        var units: [UInt16] = []
        var rest = data[32...]
        while rest.count >= 4 {
            let start = rest.startIndex
            let (type, subtype) = (rest[start], rest[start + 1])
            let length = Int(rest[start + 2]) | Int(rest[start + 3]) << 8
            guard length >= 4, length <= rest.count, type != 0x7F else { break }
            if type == 4, subtype == 4 {
                let text = rest[(start + 4)..<(start + length)]
                for index in stride(from: text.startIndex, to: text.endIndex - 1, by: 2) {
                    let unit = UInt16(text[index]) | UInt16(text[index + 1]) << 8
                    if unit == 0 { break }
                    units.append(unit)
                }
            }
            rest = rest[(start + length)...]
        }
        return units.isEmpty ? nil : String(decoding: units, as: UTF16.self)
    }

    /// Parses `(hd0,gpt2)/vmlinuz`, or a path without the disk.
    private static func loaderPath(_ data: [UInt8]) -> String? {
        let text = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
        guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
        return String(text[text.index(after: end)...])
    }

    /// - Returns: nil for a path that could lead anywhere but down.
    private static func clean(_ path: String?) -> String? {
        guard let path else { return nil }
        let parts = path.split(whereSeparator: { $0 == "/" || $0 == "\\" })
        guard path.hasPrefix("/") || path.hasPrefix("\\"), !parts.isEmpty, path.utf8.count <= 1024,
            !parts.contains(".."), !parts.contains("."),
            path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return "/" + parts.joined(separator: "/")
    }
}
