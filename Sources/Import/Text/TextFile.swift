/// The beginning of a text file.
enum TextFile {
    /// Drops a byte order mark.
    /// - Throws: ``UnreadableFile`` for text of another encoding, which would be read as nonsense, and for text that takes long
    ///   to compare.
    static func content(_ bytes: [UInt8]) throws(UnreadableFile) -> ArraySlice<UInt8> {
        guard bytes.count <= ImportLimits.file else {
            throw UnreadableFile("it has more than \(ImportLimits.file >> 20) MiB", advice: "split the file")
        }
        // Both versions of KeePass's own format.
        if bytes.starts(with: [0x03, 0xD9, 0xA2, 0x9A]) {
            throw UnreadableFile(
                "it is an encrypted database of KeePass",
                advice: "run: keepassxc-cli export --format csv FILE.kdbx | coffer import keepassxc -")
        }
        if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
            throw UnreadableFile("it is a database", advice: "export the passwords in the program that it belongs to")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw UnreadableFile("it is UTF-16 text", advice: "save it as UTF-8 first")
        }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw UnreadableFile("it is a zip archive", advice: "unpack it first, or see: coffer help import")
        }
        let text = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
        try LongMarks.refuse(in: text)
        return text
    }

    /// U+FEFF in UTF-8.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
