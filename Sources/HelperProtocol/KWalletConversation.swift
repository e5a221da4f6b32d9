import JSON

/// A line of `cofferd helper kwallet`, which reads what the wallets of KDE hold (org.kde.KWallet).
public struct KWalletAnswer: Codable, Sendable {
    /// How many entries there are. It comes before the first one.
    public var count: Int?
    public var entry: Item?
    /// A wallet that the person is asked to open.
    public var opening: String?
    /// Something that is not read, by its name.
    public var leftOut: String?
    /// Why nothing (more) can be read.
    public var problem: String?
    /// The last line.
    public var isEnd: Bool?

    public struct Item: Codable, Sendable {
        public var wallet: String
        public var folder: String
        public var name: String
        /// What KWallet calls the entry's type: 1 is a password, 2 are bytes, 3 is a map.
        public var type: Int32
        /// In Base64; nil if it cannot be read.
        public var value: String?
        /// Why it cannot be read.
        public var problem: String?

        public init(
            wallet: String, folder: String, name: String, type: Int32, value: String? = nil, problem: String? = nil
        ) {
            self.wallet = wallet
            self.folder = folder
            self.name = name
            self.type = type
            self.value = value
            self.problem = problem
        }
    }

    public init(
        count: Int? = nil, entry: Item? = nil, opening: String? = nil, leftOut: String? = nil, problem: String? = nil,
        isEnd: Bool? = nil
    ) {
        self.count = count
        self.entry = entry
        self.opening = opening
        self.leftOut = leftOut
        self.problem = problem
        self.isEnd = isEnd
    }
}

extension KWalletAnswer: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("count", count)
        writer.member("entry", entry)
        writer.member("isEnd", isEnd)
        writer.member("leftOut", leftOut)
        writer.member("opening", opening)
        writer.member("problem", problem)
        writer.endObject()
    }
}

extension KWalletAnswer.Item: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("folder", folder)
        writer.member("name", name)
        writer.member("problem", problem)
        writer.member("type", type)
        writer.member("value", value)
        writer.member("wallet", wallet)
        writer.endObject()
    }
}
