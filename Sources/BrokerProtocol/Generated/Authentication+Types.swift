// Made by scripts/interfaces from Interfaces/org.coffer.Authentication.varlink: change that file.
import JSON
import Varlink

extension Authentication {
    /// One message of PAM (pam_conv(3)).
    public struct Message: JSONValue, Equatable {
        /// It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no
        /// answer.
        public var style: Style
        public var text: String

        public init(style: Style, text: String) {
            self.style = style
            self.text = text
        }

        private static let jsonNames = ["style", "text"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var style: Style?
            var text: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: style = try reader.read()
                default: text = try reader.read()
                }
            }
            self.init(style: try members.required(style, "style"), text: try members.required(text, "text"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("style", style)
            writer.member("text", text)
            writer.endObject()
        }
    }
}
