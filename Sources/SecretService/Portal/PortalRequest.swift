/// A request that an application in a sandbox has made, until it is answered.
struct PortalRequest: Sendable {
    let path: String
    /// The connection of the front end. Only it may close the request.
    let owner: String
    let cancel: @Sendable () -> Void
}

/// The requests that are not answered, by their paths.
struct PortalRequestTable {
    private var requests: [String: PortalRequest] = [:]

    subscript(_ path: String) -> PortalRequest? { requests[path] }

    func count(of owner: String) -> Int { requests.values.count { $0.owner == owner } }

    mutating func begin(_ request: PortalRequest) { requests[request.path] = request }

    /// Another front end may have taken the path since.
    mutating func end(_ path: String, of owner: String) { if requests[path]?.owner == owner { requests[path] = nil } }

    /// They end a little later. The front end that comes next has all places and paths at once.
    mutating func clientLeft(_ name: String) { requests = requests.filter { $0.value.owner != name } }
}

/// How a request ended (xdg-desktop-portal, `Request::Response`).
enum PortalResponse: UInt32 {
    case success = 0
    case cancelled = 1
    case other = 2
}

/// An application in a sandbox.
struct PortalApplication {
    /// As the front end names it. Programs outside of any sandbox have an empty one together.
    let id: String

    /// - Throws: an error for what no application can be called.
    init(_ id: String) throws(ServiceError) {
        let isName = id.utf8.allSatisfy { byte in
            ObjectPath.isWord(String(Unicode.Scalar(byte))) || [UInt8(ascii: "."), UInt8(ascii: "-")].contains(byte)
        }
        guard isName, id.utf8.count <= PortalLimits.application else { throw .invalid("this is no application's id") }
        self.id = id
    }

    /// What its secret's item has. GNOME Keyring's items have the same, so an imported one is found.
    var attributes: [String: String] { [Self.attribute: id, Self.schema: ServiceName.portalSchema] }

    var label: String { id.isEmpty ? "Secret of programs without a sandbox" : "Secret of \(id)" }

    private static let attribute = "app_id"
    private static let schema = "xdg:schema"

    /// Whether an item is this application's secret. Other programs may use the attribute for something else.
    func owns(_ item: ServiceItem) -> Bool {
        item.attributes[Self.attribute].map { $0.utf8.elementsEqual(id.utf8) } ?? false
            && [nil, ServiceName.portalSchema].contains(item.attributes[Self.schema])
    }

    var query: [String: String] { [Self.attribute: id] }
}
