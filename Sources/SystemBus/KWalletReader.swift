/// Reads everything that the wallets of KDE hold, by KWallet's own interface (org.kde.KWallet).
/// Values come without encryption, because the bus is a socket of this machine that only its user can reach.
public struct KWalletReader: ~Copyable {
    /// Where a secret is.
    public struct Entry: Sendable, Equatable {
        public let folder: String
        public let name: String
    }

    /// What an entry is, as KWallet numbers it.
    public enum Kind: Int32, Sendable {
        case password = 1
        case bytes = 2
        /// From texts to texts, as Qt's QDataStream writes it.
        case map = 3
    }

    /// An entry's content, or why there is none.
    public enum Content: Sendable, Equatable {
        case value(Kind, [UInt8])
        case unreadable(type: Int32, reason: String)
    }

    /// A service that has the interface. The newer one is asked first.
    private static let services = [
        (name: "org.kde.kwalletd6", path: "/modules/kwalletd6"),
        (name: "org.kde.kwalletd5", path: "/modules/kwalletd5"),
    ]
    private static let interface = "org.kde.KWallet"
    /// What the wallet's own question names.
    private static let program = "coffer"
    /// The most wallets, folders of one and entries of all, and the longest secret in bytes.
    private static let limits = (wallets: 64, folders: 10_000, entries: 50_000, secret: 1 << 20)
    /// A service may have to be started first.
    private static let patience = Duration.seconds(25)
    /// How long a person may take to open a wallet.
    private static let personsPatience = Duration.seconds(600)

    private let bus: Bus
    private let service: (name: String, path: String)

    private init(_ bus: consuming Bus, _ service: (name: String, path: String)) {
        self.bus = bus
        self.service = service
    }

    /// - Parameter address: the address of the user's session bus.
    public static func connected(to address: String) throws(BusError) -> KWalletReader {
        let bus = try Bus(address: address, patience: patience)
        for service in services {
            let answer: Bool
            do throws(BusError) {
                answer = try bus.call(service.name, service.path, interface, "isEnabled").bool()
            } catch {
                if error.name == "org.freedesktop.DBus.Error.ServiceUnknown" { continue }
                throw error
            }
            guard answer else { throw BusError("use KWallet", reason: "it is switched off in the settings of KDE") }
            return KWalletReader(bus, service)
        }
        throw BusError("find KWallet", reason: "neither org.kde.kwalletd6 nor org.kde.kwalletd5 is on this bus")
    }

    /// In one order each time, so that a second import gives the same names.
    public func wallets() throws(BusError) -> [String] {
        try Self.texts(try call("wallets"), most: Self.limits.wallets, "wallets").sorted()
    }

    public func isOpen(_ wallet: String) throws(BusError) -> Bool { try call("isOpen", [.text(wallet)]).bool() }

    /// Opens a wallet. If it is closed, its service asks the person for its password.
    /// - Returns: its handle; nil if it was not opened.
    public func open(_ wallet: String) throws(BusError) -> Int32? {
        // 0: there is no window to which the question belongs.
        let answer = try bus.call(
            service.name, service.path, Self.interface, "open",
            values: [.text(wallet), .signedLongNumber(0), .text(Self.program)], within: Self.personsPatience)
        let handle = try answer.signedNumber()
        return handle < 0 ? nil : handle
    }

    /// Gives a handle back. The wallet stays open for other programs.
    public func close(_ handle: Int32) throws(BusError) {
        _ = try call("close", [.signedNumber(handle), .flag(false), .text(Self.program)])
    }

    public func entries(of handle: Int32) throws(BusError) -> [Entry] {
        let folders = try Self.texts(
            try call("folderList", [.signedNumber(handle), .text(Self.program)]), most: Self.limits.folders, "folders")
        if folders.isEmpty { try checkOpen(handle) }
        var entries: [Entry] = []
        for folder in folders.sorted() {
            let names = try Self.texts(
                try call("entryList", [.signedNumber(handle), .text(folder), .text(Self.program)]),
                most: Self.limits.entries - entries.count, "entries")
            if names.isEmpty { try checkOpen(handle) }
            entries += names.sorted().map { Entry(folder: folder, name: $0) }
        }
        return entries
    }

    public func content(of entry: Entry, _ handle: Int32) throws(BusError) -> Content {
        let type = try ask("entryType", entry, handle).signedNumber()
        guard let kind = Kind(rawValue: type) else {
            try checkOpen(handle)
            return .unreadable(type: type, reason: "KWallet does not say what it is")
        }
        let value: [UInt8]?
        switch kind {
        case .password:
            let text = try ask("readPassword", entry, handle).text()
            value = text.utf8.count > Self.limits.secret ? nil : Array(text.utf8)
        case .bytes: value = try ask("readEntry", entry, handle).bytes(most: Self.limits.secret)
        case .map: value = try ask("readMap", entry, handle).bytes(most: Self.limits.secret)
        }
        guard let value else { return .unreadable(type: type, reason: "it is larger than 1 MiB") }
        if value.isEmpty { try checkOpen(handle) }
        return .value(kind, value)
    }

    /// A closed wallet has empty answers instead of errors. They must not be taken for empty secrets.
    private func checkOpen(_ handle: Int32) throws(BusError) {
        guard try call("isOpen", [.signedNumber(handle)]).bool() else {
            throw BusError("read the wallet", reason: "it was closed meanwhile")
        }
    }

    private func ask(_ member: String, _ entry: Entry, _ handle: Int32) throws(BusError) -> BusMessage {
        try call(member, [.signedNumber(handle), .text(entry.folder), .text(entry.name), .text(Self.program)])
    }

    private func call(_ member: String, _ values: [BusValue] = []) throws(BusError) -> BusMessage {
        try bus.call(service.name, service.path, Self.interface, member, values: values)
    }

    private static func texts(_ message: borrowing BusMessage, most: Int, _ what: String) throws(BusError) -> [String] {
        guard try message.enter("a", "s") else { throw BusMessage.ended }
        var texts: [String] = []
        while let text = try message.nextText() {
            guard texts.count < most else { throw BusError("read KWallet", reason: "there are too many \(what)") }
            texts.append(text)
        }
        try message.leave()
        return texts
    }
}

extension BusMessage {
    fileprivate func signedNumber() throws(BusError) -> Int32 {
        var value: Int32 = 0
        try read("i", &value)
        return value
    }

    /// - Returns: nil if there are more.
    fileprivate func bytes(most: Int) throws(BusError) -> [UInt8]? {
        do throws(BusError) { return try byteArray(most: most) } catch {
            // The library's own errors have a code.
            guard error.code == 0 else { throw error }
            return nil
        }
    }
}
