import HelperProtocol

/// An entry of pass(1): the decrypted text of one file in the password store.
public enum PassEntry {
    /// What people write before a colon.
    private static let userNames: Set<String> = ["login", "username", "user", "user name"]
    private static let addresses: Set<String> = ["url", "website", "link", "uri"]
    /// As gopass writes them.
    private static let seeds: Set<String> = ["totp", "otp", "otpauth"]

    /// - Parameters:
    ///   - path: the names of the folders and of the file, without `.gpg`.
    ///   - text: the first line is the password.
    public static func read(path: [String], text file: [UInt8]) throws(UnreadableFile) -> ImportEntry {
        let text = file.starts(with: TextFile.byteOrderMark) ? Array(file.dropFirst(3)) : file
        let place = ImportPlace(file: path.joined(separator: "/"))
        guard let name = path.last, !name.isEmpty else { throw UnreadableFile("it has no name", at: place) }
        try LongMarks.refuse(in: text[...])
        // gopass keeps files and mail-like texts in this form. Its first line is no password.
        guard !text.starts(with: Array("GOPASS-SECRET-1.0".utf8)) else {
            throw UnreadableFile(
                "it is in an earlier form of gopass (GOPASS-SECRET-1.0), which Coffer does not read; store it again with gopass",
                at: place)
        }
        var entry = ImportEntry(place)
        entry.title = path.joined(separator: "/")
        let folder = path.dropLast().joined(separator: "/")
        let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        let first = text[..<end]
        entry.password = Array(first.last == UInt8(ascii: "\r") ? first.dropLast() : first)
        let rest = String(validating: text[min(end + 1, text.endIndex)...], as: UTF8.self)
        guard let rest, !first.starts(with: Array("-----BEGIN ".utf8)) else {
            // Something binary, such as a key file, is one secret as a whole, and so is a key in lines of text.
            entry.password = text
            entry.service = folder.isEmpty ? name : folder
            entry.userName = folder.isEmpty ? "" : name
            return entry
        }
        var note: [Substring] = []
        // Swift takes CR LF for one character.
        for line in rest.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            if line.hasPrefix("otpauth://"), entry.oneTimePassword.isEmpty {
                entry.oneTimePassword = String(line).trimmingSpaces
                continue
            }
            guard let colon = line.firstIndex(of: ":") else {
                note.append(line)
                continue
            }
            let key = String(line[..<colon]).trimmingSpaces.lowercased()
            let value = String(line[line.index(after: colon)...]).trimmingSpaces
            if seeds.contains(key), entry.oneTimePassword.isEmpty, isSeed(value) {
                entry.oneTimePassword = value
                continue
            }
            if userNames.contains(key), !value.isEmpty, entry.userName.isEmpty {
                entry.userName = value
            } else if addresses.contains(key), !value.isEmpty {
                entry.addresses.append(value)
            } else {
                note.append(line)
            }
        }
        // gopass begins the fields with such a line.
        if note.first == "---" { note.removeFirst() }
        while note.last?.isEmpty ?? false { note.removeLast() }
        entry.note = note.joined(separator: "\n")
        // A file is named after the user, as in Email/me, unless it names one itself.
        if entry.userName.isEmpty, !folder.isEmpty {
            entry.service = folder
            entry.userName = name
        } else {
            entry.service = name
            entry.folder = folder
        }
        return entry
    }

    private static func isSeed(_ text: String) -> Bool {
        do throws(OneTimeSeed.Mistake) {
            _ = try OneTimeSeed(reading: Array(text.utf8))
            return true
        } catch {
            // Anything else under such a name stays in the note.
            return false
        }
    }
}
