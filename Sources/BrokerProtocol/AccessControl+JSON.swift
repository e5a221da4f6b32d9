import Item
import JSON
import Varlink

/// `AccessControl` of `org.coffer.Keychain`. Nothing behind the reader can contradict itself.
extension AccessControl: JSONValue {
    private static let jsonNames = ["accessibility", "any", "require", "thisDeviceOnly"]

    /// - Throws: `contradiction`, and as every reader does.
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var accessibility: Accessibility?
        var any: Bool?
        var require: [Requirement]?
        var thisDeviceOnly: Bool?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: accessibility = try reader.read()
            case 1: any = try reader.read()
            case 2: require = try reader.read()
            default: thisDeviceOnly = try reader.read()
            }
        }
        let found = try members.required(accessibility, "accessibility")
        let isThisDeviceOnly = try members.required(thisDeviceOnly, "thisDeviceOnly")
        let list = try members.required(require, "require")
        let anyIsEnough = try members.required(any, "any")
        do throws(AccessControlError) {
            self = try AccessControl(
                found, isThisDeviceOnly: isThisDeviceOnly, requirements: Set(naming: list), anyIsEnough: anyIsEnough)
        } catch { throw .contradiction(error.description) }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("accessibility", accessibility)
        writer.member("any", anyIsEnough)
        writer.member("require", requirements.inOrder)
        writer.member("thisDeviceOnly", isThisDeviceOnly)
        writer.endObject()
    }
}

extension AccessControl.Accessibility: JSONValue {}
extension AccessControl.Requirement: JSONValue {}
extension ItemKind: JSONValue {}

extension FieldKind: JSONValue {}

extension Fault {
    /// `InvalidArgument`, for an access control that contradicts itself.
    public init(_ error: AccessControlError) { self.init(.invalidArgument, error.description) }

    /// `LimitExceeded` or `InvalidArgument`, for what an item cannot have.
    package init(_ error: ItemLimitError) {
        self.init(error.isExcess ? .limitExceeded : .invalidArgument, error.reason, advice: error.advice)
    }
}
