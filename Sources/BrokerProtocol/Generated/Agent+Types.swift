// Made by scripts/interfaces from Interfaces/org.coffer.Agent.varlink: change that file.
import JSON
import Varlink

extension Agent {
    /// Where a person sits. A name that is absent or does not answer is not used.
    public struct Display: JSONValue, Equatable {
        /// As in DISPLAY.
        public var x11: String?
        /// As in XAUTHORITY.
        public var xauthority: String?
        /// As in WAYLAND_DISPLAY, and absolute or a name in XDG_RUNTIME_DIR.
        public var wayland: String?

        public init(x11: String? = nil, xauthority: String? = nil, wayland: String? = nil) {
            self.x11 = x11
            self.xauthority = xauthority
            self.wayland = wayland
        }

        private static let jsonNames = ["wayland", "x11", "xauthority"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var x11: String?
            var xauthority: String?
            var wayland: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: wayland = try reader.read()
                case 1: x11 = try reader.read()
                default: xauthority = try reader.read()
                }
            }
            self.init(x11: x11, xauthority: xauthority, wayland: wayland)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("wayland", wayland)
            writer.member("x11", x11)
            writer.member("xauthority", xauthority)
            writer.endObject()
        }
    }

    /// How a conversation failed.
    public struct Failure: JSONValue, Equatable {
        /// The kind of failure, as in the JSON output of coffer.
        public var code: String
        public var message: String
        public var advice: String?
        /// The TPM's own code, or 0.
        public var tpmCode: Int64
        public var cause: String?

        public init(code: String, message: String, advice: String? = nil, tpmCode: Int64, cause: String? = nil) {
            self.code = code
            self.message = message
            self.advice = advice
            self.tpmCode = tpmCode
            self.cause = cause
        }

        private static let jsonNames = ["advice", "cause", "code", "message", "tpmCode"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var code: String?
            var message: String?
            var advice: String?
            var tpmCode: Int64?
            var cause: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: advice = try reader.read()
                case 1: cause = try reader.read()
                case 2: code = try reader.read()
                case 3: message = try reader.read()
                default: tpmCode = try reader.read()
                }
            }
            self.init(
                code: try members.required(code, "code"), message: try members.required(message, "message"),
                advice: advice, tpmCode: try members.required(tpmCode, "tpmCode"), cause: cause
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("advice", advice)
            writer.member("cause", cause)
            writer.member("code", code)
            writer.member("message", message)
            writer.member("tpmCode", tpmCode)
            writer.endObject()
        }
    }
}
