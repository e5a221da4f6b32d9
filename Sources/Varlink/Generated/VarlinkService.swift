// Made by scripts/interfaces from Interfaces/org.varlink.service.varlink: change that file.
import JSON

/// What a Varlink service tells of itself (varlink.org, "Service").
public enum VarlinkService {
    /// The interface's name.
    public static let interface = "org.varlink.service"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # What a Varlink service tells of itself (varlink.org, "Service").
        interface org.varlink.service

        # Tells who answers, and which interfaces the socket has.
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # Gives out the file of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound (interface: string)
        error MethodNotFound (method: string)
        error MethodNotImplemented (method: string)
        error InvalidParameter (parameter: string)
        error PermissionDenied ()
        error ExpectedMore ()

        """#

    /// Tells who answers, and which interfaces the socket has.
    public struct GetInfo: VarlinkMethod {
        public static let name = "org.varlink.service.GetInfo"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var vendor: String
            public var product: String
            public var version: String
            public var url: String
            public var interfaces: [String]

            public init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
                self.vendor = vendor
                self.product = product
                self.version = version
                self.url = url
                self.interfaces = interfaces
            }

            private static let jsonNames = ["interfaces", "product", "url", "vendor", "version"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var vendor: String?
                var product: String?
                var version: String?
                var url: String?
                var interfaces: [String]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: interfaces = try reader.read()
                    case 1: product = try reader.read()
                    case 2: url = try reader.read()
                    case 3: vendor = try reader.read()
                    default: version = try reader.read()
                    }
                }
                self.init(
                    vendor: try members.required(vendor, "vendor"), product: try members.required(product, "product"),
                    version: try members.required(version, "version"), url: try members.required(url, "url"),
                    interfaces: try members.required(interfaces, "interfaces")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("interfaces", interfaces)
                writer.member("product", product)
                writer.member("url", url)
                writer.member("vendor", vendor)
                writer.member("version", version)
                writer.endObject()
            }
        }
    }

    /// Gives out the file of an interface.
    public struct GetInterfaceDescription: VarlinkMethod {
        public static let name = "org.varlink.service.GetInterfaceDescription"
        public var interface: String

        public init(interface: String) { self.interface = interface }

        private static let jsonNames = ["interface"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var interface: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { interface = try reader.read() }
            self.init(interface: try members.required(interface, "interface"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("interface", interface)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var description: String

            public init(description: String) { self.description = description }

            private static let jsonNames = ["description"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var description: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { description = try reader.read() }
                self.init(description: try members.required(description, "description"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("description", description)
                writer.endObject()
            }
        }
    }
}
