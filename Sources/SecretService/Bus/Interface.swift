import SystemBus

/// An interface: what clients can call and read. Calls are checked against it, and introspection shows it.
struct Interface: Sendable {
    let name: String
    var methods: [Method] = []
    var signals: [Signal] = []
    var properties: [Property] = []

    struct Argument: Sendable {
        let name: String
        let type: String
    }

    struct Method: Sendable {
        let name: String
        let input: [Argument]
        let output: [Argument]

        /// - Parameter input: names and types in turn: `algorithm s input v`.
        init(_ name: String, _ input: String = "", returns output: String = "") {
            self.name = name
            self.input = Interface.arguments(input)
            self.output = Interface.arguments(output)
        }

        var signature: String { input.map(\.type).joined() }
    }

    struct Signal: Sendable {
        let name: String
        let arguments: [Argument]

        init(_ name: String, _ arguments: String) {
            self.name = name
            self.arguments = Interface.arguments(arguments)
        }
    }

    struct Property: Sendable {
        let name: String
        let type: String
        var isWritable = false
    }

    private static func arguments(_ words: String) -> [Argument] {
        let words = words.split(separator: " ").map(String.init)
        return stride(from: 0, to: words.count - 1, by: 2).map { Argument(name: words[$0], type: words[$0 + 1]) }
    }

    /// Whether a call is for this interface. A caller may leave its name out.
    func has(_ call: BusCall) -> Bool { call.interface.isEmpty ? method(call.member) != nil : call.interface == name }

    func method(_ name: String) -> Method? { methods.first { $0.name == name } }
    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// As `Introspect` gives it.
    var xml: String {
        var lines = ["  <interface name=\"\(name)\">"]
        for method in methods {
            lines.append("    <method name=\"\(method.name)\">")
            lines += method.input.map { "      <arg name=\"\($0.name)\" type=\"\($0.type)\" direction=\"in\"/>" }
            lines += method.output.map { "      <arg name=\"\($0.name)\" type=\"\($0.type)\" direction=\"out\"/>" }
            lines.append("    </method>")
        }
        for signal in signals {
            lines.append("    <signal name=\"\(signal.name)\">")
            lines += signal.arguments.map { "      <arg name=\"\($0.name)\" type=\"\($0.type)\"/>" }
            lines.append("    </signal>")
        }
        for property in properties {
            let access = property.isWritable ? "readwrite" : "read"
            lines.append("    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>")
        }
        return (lines + ["  </interface>"]).joined(separator: "\n")
    }
}

extension Interface {
    static let service = Interface(
        name: ServiceName.service,
        methods: [
            Method("OpenSession", "algorithm s input v", returns: "output v result o"),
            Method("CreateCollection", "properties a{sv} alias s", returns: "collection o prompt o"),
            Method("SearchItems", "attributes a{ss}", returns: "unlocked ao locked ao"),
            Method("Unlock", "objects ao", returns: "unlocked ao prompt o"),
            Method("Lock", "objects ao", returns: "locked ao Prompt o"),
            Method("LockService"),
            Method("ChangeLock", "collection o", returns: "prompt o"),
            Method("GetSecrets", "items ao session o", returns: "secrets a{o(oayays)}"),
            Method("ReadAlias", "name s", returns: "collection o"),
            Method("SetAlias", "name s collection o"),
        ],
        signals: [
            Signal("CollectionCreated", "collection o"), Signal("CollectionDeleted", "collection o"),
            Signal("CollectionChanged", "collection o"),
        ],
        properties: [Property(name: "Collections", type: "ao")])

    static let collection = Interface(
        name: ServiceName.collection,
        methods: [
            Method("Delete", returns: "prompt o"),
            Method("SearchItems", "attributes a{ss}", returns: "results ao"),
            Method("CreateItem", "properties a{sv} secret (oayays) replace b", returns: "item o prompt o"),
        ],
        signals: [Signal("ItemCreated", "item o"), Signal("ItemDeleted", "item o"), Signal("ItemChanged", "item o")],
        properties: [
            Property(name: "Items", type: "ao"), Property(name: "Label", type: "s", isWritable: true),
            Property(name: "Locked", type: "b"), Property(name: "Created", type: "t"),
            Property(name: "Modified", type: "t"),
        ])

    static let item = Interface(
        name: ServiceName.item,
        methods: [
            Method("Delete", returns: "prompt o"), Method("GetSecret", "session o", returns: "secret (oayays)"),
            Method("SetSecret", "secret (oayays)"),
        ],
        properties: [
            Property(name: "Locked", type: "b"), Property(name: "Attributes", type: "a{ss}", isWritable: true),
            Property(name: "Label", type: "s", isWritable: true), Property(name: "Type", type: "s"),
            Property(name: "Created", type: "t"), Property(name: "Modified", type: "t"),
        ])

    static let session = Interface(name: ServiceName.session, methods: [Method("Close")])

    static let prompt = Interface(
        name: ServiceName.prompt, methods: [Method("Prompt", "window-id s"), Method("Dismiss")],
        signals: [Signal("Completed", "dismissed b result v")])

    static let portal = Interface(
        name: ServiceName.portal,
        methods: [
            Method("RetrieveSecret", "handle o app_id s fd h options a{sv}", returns: "response u results a{sv}")
        ],
        properties: [Property(name: "version", type: "u")])

    static let portalRequest = Interface(name: ServiceName.portalRequest, methods: [Method("Close")])

    static let properties = Interface(
        name: ServiceName.properties,
        methods: [
            Method("Get", "interface s property s", returns: "value v"),
            Method("GetAll", "interface s", returns: "properties a{sv}"),
            Method("Set", "interface s property s value v"),
        ],
        signals: [Signal("PropertiesChanged", "interface s changed a{sv} invalidated as")])

    static let introspectable = Interface(
        name: ServiceName.introspectable, methods: [Method("Introspect", returns: "xml s")])

    static let peer = Interface(
        name: "org.freedesktop.DBus.Peer", methods: [Method("Ping"), Method("GetMachineId", returns: "machine s")])

    /// Those of every object.
    static let standard = [properties, introspectable, peer]
}
