/// `.netrc`, as ftp(1), curl and git read it.
public enum NetrcFile {
    private struct Word: Equatable {
        var text: String
        var line: Int
        /// Whether programs read it differently: for some, a backslash outside of quotes is a part of the word.
        var isAmbiguous = false
    }

    public static func read(_ file: [UInt8]) throws(UnreadableFile) -> ImportReading {
        var reader = Reader(bytes: try TextFile.content(file))
        try reader.readAll()
        return reader.reading
    }

    private struct Reader {
        let bytes: ArraySlice<UInt8>
        var at: Int
        var line = 1
        var reading = ImportReading()
        /// nil between two machines.
        private var machine: ImportEntry?
        /// Whether the login of this machine was there.
        private var hasLogin = false

        init(bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            at = bytes.startIndex
        }

        mutating func readAll() throws(UnreadableFile) {
            while let word = try next() {
                let place = ImportPlace(line: word.line)
                switch word.text.lowercased() {
                case "machine":
                    try finish()
                    guard let name = try value(of: "machine", at: place) else { continue }
                    var entry = ImportEntry(place)
                    entry.service = name
                    machine = entry
                    hasLogin = false
                case "default":
                    try finish()
                    reading.leaveOut(place, "the default entry, which is for no machine")
                    machine = nil
                case "login", "user":
                    if let name = try value(of: word.text, at: place) { try begin(login: name, at: place) }
                case "password", "passwd":
                    guard let password = try value(of: word.text, at: place) else { continue }
                    if machine?.password != nil { reading.leaveOut(place, "the password before this one") }
                    machine?.password = Array(password.utf8)
                case "account":
                    // It is a second password (netrc(5)), so it is none of the attributes, which anybody may read.
                    if let account = try value(of: word.text, at: place) {
                        machine?.fields.append(.init(name: "account", value: account))
                    }
                case "macdef":
                    _ = try value(of: word.text, at: place)
                    reading.leaveOut(place, "a macro")
                    skipMacro()
                case _ where word.text.hasPrefix("#"): skipLine()
                case "port":
                    reading.addProblem(
                        place, "“port” is not known here; take it out, or put quotes around a password with spaces")
                    machine = nil
                    skipLine()
                default:
                    // The word may be a part of a password, so it is not shown.
                    reading.addProblem(place, "a word is not known here; put quotes around a password with spaces")
                    machine = nil
                    skipLine()
                }
            }
            try finish()
        }

        private mutating func finish() throws(UnreadableFile) {
            guard let done = machine else { return }
            machine = nil
            guard done.password != nil else { return reading.leaveOut(done.place, "it has no password") }
            try reading.add(done)
        }

        /// Another login may follow for the same machine.
        private mutating func begin(login: String, at place: ImportPlace) throws(UnreadableFile) {
            if let entry = machine, hasLogin {
                if entry.password == nil {
                    reading.leaveOut(place, "the login before this one, which has no password")
                } else {
                    try finish()
                    var next = ImportEntry(place)
                    next.service = entry.service
                    machine = next
                }
            }
            machine?.userName = login
            hasLogin = true
        }

        private mutating func value(of name: String, at place: ImportPlace) throws(UnreadableFile) -> String? {
            guard let word = try next() else {
                reading.addProblem(place, "nothing follows “\(name)”")
                machine = nil
                return nil
            }
            guard !word.isAmbiguous else {
                reading.addProblem(
                    place,
                    "the word after “\(name)” has a backslash, which programs read differently; put quotes around the word, and write \\\\ for a backslash"
                )
                machine = nil
                return nil
            }
            return word.text
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

        private mutating func next() throws(UnreadableFile) -> Word? {
            while at < bytes.endIndex, Self.isSpace(bytes[at]) {
                if isLineEnd { line += 1 }
                at += 1
            }
            guard at < bytes.endIndex else { return nil }
            var text: [UInt8] = []
            let isQuoted = bytes[at] == UInt8(ascii: "\"")
            if isQuoted { at += 1 }
            while at < bytes.endIndex, isQuoted ? bytes[at] != UInt8(ascii: "\"") : !Self.isSpace(bytes[at]) {
                if isQuoted, bytes[at] == UInt8(ascii: "\n") { break }
                if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.endIndex, isQuoted {
                    at += 1
                    text.append(Self.escaped(bytes[at]))
                } else {
                    text.append(bytes[at])
                }
                at += 1
            }
            if isQuoted {
                guard at < bytes.endIndex, bytes[at] == UInt8(ascii: "\"") else {
                    throw UnreadableFile("a quote is not closed on its line", at: ImportPlace(line: line))
                }
                at += 1
            }
            guard let text = String(validating: text, as: UTF8.self) else {
                throw UnreadableFile("a word is not UTF-8", at: ImportPlace(line: line))
            }
            return Word(text: text, line: line, isAmbiguous: !isQuoted && text.utf8.contains(UInt8(ascii: "\\")))
        }

        /// As curl reads them.
        private static func escaped(_ byte: UInt8) -> UInt8 {
            switch byte {
            case UInt8(ascii: "n"): UInt8(ascii: "\n")
            case UInt8(ascii: "r"): UInt8(ascii: "\r")
            case UInt8(ascii: "t"): UInt8(ascii: "\t")
            default: byte
            }
        }

        /// A carriage return alone ends a line, too, so that no comment takes the machines behind it along.
        private var isLineEnd: Bool {
            let isPair = at + 1 < bytes.endIndex && bytes[at + 1] == UInt8(ascii: "\n")
            return bytes[at] == UInt8(ascii: "\n") || bytes[at] == UInt8(ascii: "\r") && !isPair
        }

        private mutating func skipLine() {
            while at < bytes.endIndex, !isLineEnd { at += 1 }
        }

        /// A macro ends with an empty line.
        private mutating func skipMacro() {
            skipLine()
            while at < bytes.endIndex {
                at += 1
                line += 1
                guard at < bytes.endIndex, ![UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes[at]) else { return }
                skipLine()
            }
        }
    }
}
