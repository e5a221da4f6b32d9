/// A login, a note or another secret, as another program's file has it. What the file does not have is empty.
public struct ImportEntry: Sendable, Equatable {
    public var place: ImportPlace
    /// The name that the person gave it.
    public var title = ""
    /// Whether what is behind the `#` of an address in the title names a part of the page, and is no secret.
    public var showsFragment = false
    public var addresses: [String] = []
    public var userName = ""
    /// nil if the entry has none. An empty one counts as none.
    public var password: [UInt8]?
    public var note = ""
    /// An `otpauth://` address, or only a seed in Base32.
    public var oneTimePassword = ""
    /// Other secrets of the entry.
    public var fields: [Field] = []
    public var folder = ""
    public var tags = ""
    /// In the form of RFC 3339.
    public var created = ""
    public var changed = ""
    /// What the entry is for, if that is neither the address nor the title.
    public var service: String?
    /// Further attributes.
    public var attributes: [String: String] = [:]
    public var state = State.live
    /// Whether an entry of the same name may be an older or a newer state of this one.
    public var isOneOfSeveralStates = true

    /// Whether the other program still uses the entry. Its raw value is the item's attribute `state`.
    public enum State: String, Sendable {
        case live, archived, deleted

        /// The lower, the sooner an entry of this state gets a name that several have.
        var rank: Int {
            switch self {
            case .live: 0
            case .archived: 1
            case .deleted: 2
            }
        }
    }

    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(_ place: ImportPlace) { self.place = place }

    /// Empty if it decides nothing.
    var lastChange: String { !isOneOfSeveralStates ? "" : changed.isEmpty ? created : changed }
}

/// Where something is in a file.
public struct ImportPlace: Sendable, Hashable, CustomStringConvertible {
    /// From 1; nil for what has no lines.
    public var line: Int?
    /// The number of the item from 1, in files whose lines say little.
    public var item: Int?
    /// The name of the file within a folder.
    public var file: String?

    public init(line: Int? = nil, item: Int? = nil, file: String? = nil) {
        self.line = line
        self.item = item
        self.file = file
    }

    /// `line 7`, or `item 3, line 7`. A file's name is as it was found, so it must be made visible.
    public var description: String {
        let line = line.map { "line \($0)" }
        if let file { return file + (line.map { ", \($0)" } ?? "") }
        guard let item else { return line ?? "" }
        return "item \(item)" + (line.map { ", \($0)" } ?? "")
    }
}

/// Something in a file that is not imported. It never holds a value, because values are secrets.
public struct ImportProblem: Sendable, Equatable {
    public var place: ImportPlace
    /// Why, as a clause.
    public var reason: String

    public init(_ place: ImportPlace, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

/// A file that cannot be read at all. It never holds a value.
public struct UnreadableFile: Error, Sendable, Equatable {
    public var place: ImportPlace?
    public var reason: String
    public var advice: String

    public init(_ reason: String, at place: ImportPlace? = nil, advice: String = "") {
        self.place = place
        self.reason = reason
        self.advice = advice
    }
}

/// What a reader found.
public struct ImportReading: Sendable, Equatable {
    public var entries: [ImportEntry] = []
    /// Entries that cannot be read, at most ``ImportLimits/problems``.
    public private(set) var problems: [ImportProblem] = []
    /// The number of all problems.
    public private(set) var problemCount = 0
    /// What the entries have that has no place in a vault, at most ``ImportLimits/leftOut``.
    public private(set) var leftOut: [ImportProblem] = []
    /// The number of all that was left out.
    public private(set) var leftOutCount = 0

    public init() {}

    public mutating func addProblem(_ place: ImportPlace, _ reason: String) {
        problemCount += 1
        if problems.count < ImportLimits.problems { problems.append(ImportProblem(place, reason)) }
    }

    public mutating func leaveOut(_ place: ImportPlace, _ reason: String) {
        leftOutCount += 1
        if leftOut.count < ImportLimits.leftOut { leftOut.append(ImportProblem(place, reason)) }
    }

    /// - Throws: ``UnreadableFile`` if there are too many.
    mutating func add(_ entry: ImportEntry) throws(UnreadableFile) {
        guard entries.count < ImportLimits.entries else {
            throw UnreadableFile(
                "it has more than \(ImportLimits.entries) entries", at: entry.place, advice: "split the file")
        }
        entries.append(entry)
    }
}
