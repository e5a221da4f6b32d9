import CSystemd
import Glibc
import Platform

/// Reads everything that a service of the Secret Service interface keeps (org.freedesktop.secrets): GNOME Keyring, KWallet's successor, KeePassXC.
/// Values come over a session without encryption, because the bus is a socket of this machine that only its user can reach.
@safe public struct KeyringReader: ~Copyable {
    /// An item with its secret.
    public struct Item: Sendable, Equatable {
        public var collection: String
        public var label = ""
        public var attributes: [String: String] = [:]
        /// Seconds since 1970; 0 if unknown.
        public var created: UInt64 = 0
        public var modified: UInt64 = 0
        public var secret: [UInt8] = []
    }

    /// An item, or why there is none.
    public enum Content: Sendable, Equatable {
        case item(Item)
        case locked
        /// It has more than a vault takes.
        case unreadable(label: String, reason: String)
    }

    /// A collection of items.
    public struct Collection: Sendable, Equatable {
        public let path: String
        public let label: String
        public let isLocked: Bool
        public let items: [String]
    }

    private static let service = "org.freedesktop.secrets"
    private static let root = "/org/freedesktop/secrets"
    private static let interface = "org.freedesktop.Secret"
    /// The collection that ends with the person's session. It holds nothing to keep.
    private static let passing = "/org/freedesktop/secrets/collection/session"
    /// The most collections, items of one, and attributes of one, and the longest secret and the longest attributes of
    /// an item together, in bytes.
    private static let limits = (
        collections: 64, items: 50_000, attributes: 256, secret: 1 << 20, description: 256 << 10
    )
    /// A service may have to be started first.
    fileprivate static let patience = Duration.seconds(25)

    private let bus: Bus
    private let session: String

    private init(_ bus: consuming Bus, session: String) {
        self.bus = bus
        self.session = session
    }

    /// - Parameter address: the address of the user's session bus.
    public static func connected(to address: String) throws(BusError) -> KeyringReader {
        let bus = try Bus(address: address, patience: patience)
        let session = try bus.openSecretSession(service, root, "\(interface).Service")
        guard try !isCoffer(service, on: bus) else {
            throw BusError(
                "read the keyring",
                reason:
                    "Coffer itself serves \(service) here; start the old keyring instead: man coffer-secret-service")
        }
        return KeyringReader(bus, session: session)
    }

    /// Coffer's own items would come back under other names, and without their requirements.
    private static func isCoffer(_ service: String, on bus: borrowing Bus) throws(BusError) -> Bool {
        let process = try bus.process(of: service)
        // `try?`: a user's own provider can always be looked at. The process of another keyring may be in a container.
        let name = (try? ProcessStat(pid: process))?.command
        // The kernel keeps 15 bytes of a program's name.
        return name == String(decoding: "coffer-secret-service".utf8.prefix(15), as: UTF8.self)
    }

    public func collections() throws(BusError) -> [Collection] {
        let paths = try property(Self.root, "Service", "Collections", "ao") { (message) throws(BusError) in
            try Self.paths(message, most: Self.limits.collections)
        }
        var collections: [Collection] = []
        for path in paths where path != Self.passing {
            collections.append(
                Collection(
                    path: path, label: try label(ofCollection: path),
                    isLocked: try property(path, "Collection", "Locked", "b") { (message) throws(BusError) in
                        try message.bool()
                    },
                    items: try property(path, "Collection", "Items", "ao") { (message) throws(BusError) in
                        // In one order each time, so that a second import gives the same names.
                        try Self.paths(message, most: Self.limits.items).sorted()
                    }))
        }
        return collections
    }

    private func label(ofCollection path: String) throws(BusError) -> String {
        do throws(BusError) {
            return try property(path, "Collection", "Label", "s") { (message) throws(BusError) in try message.text() }
        } catch {
            guard error.isOfUnreadableText else { throw error }
            return Self.lastWord(of: path)
        }
    }

    private static func lastWord(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// - Throws: ``BusError`` if the bus or the service fails.
    public func item(_ path: String, of collection: Collection) throws(BusError) -> Content {
        var label = Self.lastWord(of: path)
        do throws(BusError) { return try content(path, of: collection, &label) } catch {
            // The bus library refuses the text, but GNOME Keyring keeps such texts. The other items can be read.
            guard error.isOfUnreadableText else { throw error }
            return .unreadable(label: label, reason: "it has characters that cannot be read over D-Bus")
        }
    }

    /// - Parameter label: becomes the item's own one as soon as that is read.
    private func content(
        _ path: String, of collection: Collection, _ label: inout String
    ) throws(BusError) -> Content {
        let isLocked = try property(path, "Item", "Locked", "b") { (message) throws(BusError) in try message.bool() }
        guard !isLocked else { return .locked }
        var item = Item(collection: collection.label)
        item.label = try property(path, "Item", "Label", "s") { (message) throws(BusError) in try message.text() }
        label = String(item.label.unicodeScalars.prefix(256))
        let attributes = try property(path, "Item", "Attributes", "a{ss}") { (message) throws(BusError) in
            try Self.attributes(message)
        }
        guard let attributes, item.label.utf8.count <= Self.limits.description else {
            return .unreadable(label: label, reason: "its label and attributes are more than a vault takes")
        }
        item.attributes = attributes
        item.created = try property(path, "Item", "Created", "t") { (message) throws(BusError) in
            try message.longNumber()
        }
        item.modified = try property(path, "Item", "Modified", "t") { (message) throws(BusError) in
            try message.longNumber()
        }
        let answer = try bus.call(Self.service, path, "\(Self.interface).Item", "GetSecret", path: session)
        guard try answer.enter("r", "oayays") else { throw Self.malformed }
        try answer.skip("o")
        let parameters = try answer.byteArray(most: Self.limits.secret)
        let secret = try answer.byteArray(upTo: Self.limits.secret)
        // A session without encryption has no parameters. With some, these bytes would not be the secret.
        guard parameters.isEmpty else { throw Self.malformed }
        guard let secret else { return .unreadable(label: item.label, reason: "its secret is larger than 1 MiB") }
        item.secret = secret
        return .item(item)
    }

    private static let malformed = BusError("read a secret from the bus", reason: "the answer is not as specified")

    private func property<Value>(
        _ path: String, _ kind: String, _ name: String, _ signature: String,
        _ read: (borrowing BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        let answer = try bus.call(
            Self.service, path, "org.freedesktop.DBus.Properties", "Get", ["\(Self.interface).\(kind)", name])
        guard try answer.enter("v", signature) else { throw Self.malformed }
        let value = try read(answer)
        try answer.leave()
        return value
    }

    private static func paths(_ message: borrowing BusMessage, most: Int) throws(BusError) -> [String] {
        guard try message.enter("a", "o") else { throw malformed }
        var paths: [String] = []
        while let path = try message.nextText("o") {
            guard paths.count < most else {
                throw BusError("read a keyring", reason: "it has more than \(most) items")
            }
            paths.append(path)
        }
        try message.leave()
        return paths
    }

    /// - Returns: nil if there are too many, if they are too long, or if comparing them would take long.
    private static func attributes(_ message: borrowing BusMessage) throws(BusError) -> [String: String]? {
        guard try message.enter("a", "{ss}") else { throw malformed }
        var attributes: [String: String] = [:]
        var count = 0
        var bytes = 0
        var areQuick = true
        while try message.enter("e", "ss") {
            let (name, value) = (try message.text(), try message.text())
            try message.leave()
            count += 1
            bytes += name.utf8.count + value.utf8.count
            areQuick = areQuick && CombiningMarks.areFew(in: name) && CombiningMarks.areFew(in: value)
            // They are read to their end, because the message goes on behind them.
            if count <= limits.attributes, bytes <= limits.description, areQuick { attributes[name] = value }
        }
        try message.leave()
        return count <= limits.attributes && bytes <= limits.description && areQuick ? attributes : nil
    }
}

extension Bus {
    /// Opens a session of the Secret Service interface without encryption.
    /// - Returns: its object path.
    func openSecretSession(_ service: String, _ path: String, _ interface: String) throws(BusError) -> String {
        let answer = try unsafe call(service, path, interface, "OpenSession") { message in
            unsafe "plain".withCString { algorithm in
                unsafe "".withCString { input in
                    var code = unsafe sd_bus_message_append_basic(message, Self.letter("s"), algorithm)
                    if code >= 0 { code = unsafe sd_bus_message_open_container(message, Self.letter("v"), "s") }
                    if code >= 0 { code = unsafe sd_bus_message_append_basic(message, Self.letter("s"), input) }
                    return code < 0 ? code : unsafe sd_bus_message_close_container(message)
                }
            }
        }
        try answer.skip("v")
        return try answer.text("o")
    }

    /// Calls a method that takes an object path.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, path argument: String
    ) throws(BusError) -> BusMessage {
        try unsafe call(destination, path, interface, member) { message in
            unsafe argument.withCString { unsafe sd_bus_message_append_basic(message, Self.letter("o"), $0) }
        }
    }

    private static func letter(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

    /// Calls a method whose arguments `write` appends.
    private func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ write: (OpaquePointer) -> Int32
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try checked("call \(member)") {
            unsafe sd_bus_message_new_method_call(pointer, &made, destination, path, interface, member)
        }
        guard let made = unsafe made else { throw BusError("call \(member)", code: -ENOMEM) }
        let message = unsafe BusMessage(adopting: made)
        let written = unsafe message.withPointer { unsafe write($0) }
        guard written >= 0 else { throw BusError("call \(member)", code: written) }
        return try answer(to: message, of: destination, "\(interface).\(member)", within: KeyringReader.patience)
    }
}

extension BusError {
    /// Whether a text that came has characters that the bus library refuses.
    fileprivate var isOfUnreadableText: Bool { code == -EBADMSG }
}

extension BusMessage {
    /// Reads a 64-bit number.
    func longNumber() throws(BusError) -> UInt64 {
        var value: UInt64 = 0
        try checked("read a number from the bus") {
            unsafe withPointer { unsafe sd_bus_message_read_basic($0, CChar(bitPattern: UInt8(ascii: "t")), &value) }
        }
        return value
    }
}
