import BrokerProtocol
import Foundation
import Item
import JSON
import Testing
import Varlink

@Suite("every type of the wire")
struct WireTypeTests {
    /// A value as Swift's own reflection and Foundation's encoder see it: each member by its name.
    private enum Tree: Encodable {
        case object([String: Tree])
        case array([Tree])
        case text(String)
        case number(Int64)
        case flag(Bool)

        /// nil for an optional member that is nil.
        init?(_ value: Any) {
            let mirror = Mirror(reflecting: value)
            switch value {
            case let text as String: self = .text(text)
            case let number as Int64: self = .number(number)
            case let flag as Bool: self = .flag(flag)
            case let one as any RawRepresentable<String>: self = .text(one.rawValue)
            case let values as [String: any Sampled]: self = .object(values.compactMapValues { Tree($0) })
            case let values as [any Sampled]: self = .array(values.compactMap { Tree($0) })
            case let access as AccessControl:
                let require = access.requirements.inOrder.map { Tree.text($0.rawValue) }
                self = .object([
                    "accessibility": .text(access.accessibility.rawValue), "any": .flag(access.anyIsEnough),
                    "require": .array(require), "thisDeviceOnly": .flag(access.isThisDeviceOnly),
                ])
            case _ where mirror.displayStyle == .optional:
                guard let wrapped = mirror.children.first, let tree = Tree(wrapped.value) else { return nil }
                self = tree
            default:
                var members: [String: Tree] = [:]
                for child in mirror.children { members[child.label ?? ""] = Tree(child.value) }
                self = .object(members)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .object(let members): try container.encode(members)
            case .array(let values): try container.encode(values)
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            }
        }
    }

    private func text(_ value: some JSONWritable) -> String {
        String(decoding: JSONWriter.bytes(of: value), as: UTF8.self)
    }

    private func expected(_ value: some Sampled) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(#require(Tree(value))), as: UTF8.self)
    }

    @Test("is written as Foundation writes it, member by member, and read again as what it was")
    func sameText() throws {
        var source = SampleSource(1)
        for type in SampleSource.all { for _ in 0..<40 { try check(type, &source) } }
    }

    private func check<Value: Sampled>(_ type: Value.Type, _ source: inout SampleSource) throws {
        let value: Value = source.next()
        let text = text(value)
        #expect(try text == expected(value), "\(type)")
        #expect(try expected(JSONReader.read(type, from: Array(text.utf8))) == text, "\(type)")
    }

    @Test("names what is missing, and what is of another type")
    func problems() throws {
        var source = SampleSource(2)
        for type in SampleSource.all { for _ in 0..<10 { try checkProblems(type, &source) } }
    }

    private func checkProblems<Value: Sampled>(_ type: Value.Type, _ source: inout SampleSource) throws {
        let value: Value = source.next()
        guard case .object(let members) = Tree(value) else {
            Issue.record("\(type) is no object")
            return
        }
        for name in members.keys {
            var less = members
            less[name] = nil
            let isOptional = try isRead(type, .object(less), name)
            // Null is as if it were not there.
            let text = try String(decoding: JSONEncoder().encode(Tree.object(less)), as: UTF8.self)
            let null = (text == "{}" ? "{" : text.dropLast() + ",") + "\"\(name)\":null}"
            // `try?`: nil for what is refused.
            #expect(isOptional == ((try? JSONReader.read(type, from: Array(null.utf8))) != nil), "\(type).\(name)")
            var other = members
            other[name] = if case .object = members[name] { .flag(true) } else { .object(["x": .number(1)]) }
            // Attributes take any name, so the one inside of them is named.
            guard try !isRead(type, .object(other), name) else {
                Issue.record("\(type).\(name) takes anything")
                continue
            }
        }
    }

    /// Whether it can be read. If not, the failure is about this member.
    private func isRead<Value: Sampled>(_ type: Value.Type, _ tree: Tree, _ name: String) throws -> Bool {
        let bytes = Array(try JSONEncoder().encode(tree))
        do throws(JSONFailure) {
            _ = try JSONReader.read(type, from: bytes)
            return true
        } catch {
            switch error {
            case .malformed(let reason): Issue.record("\(type).\(name): \(reason)")
            case .missing(let missing): #expect(missing == name, "\(type)")
            case .mismatch: break
            case .contradiction(let reason): Issue.record("\(type).\(name): \(reason)")
            }
            return false
        }
    }

    @Test("is read in any order of its members, and beside unknown ones")
    func otherOrders() throws {
        var source = SampleSource(3)
        for type in SampleSource.all { for _ in 0..<5 { try checkOrder(type, &source) } }
    }

    private func checkOrder<Value: Sampled>(_ type: Value.Type, _ source: inout SampleSource) throws {
        let value: Value = source.next()
        guard case .object(let members) = Tree(value) else { return }
        let encoder = JSONEncoder()
        var parts = try members.map { name, tree in
            // An escaped name is the same name.
            let escaped = name.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
            return try "\"\(escaped)\" : " + String(decoding: encoder.encode(tree), as: UTF8.self)
        }
        parts.append(#""later":[{"a":1,"b":[null,1.5e-3,"\ud83d\ude00"]}]"#)
        let text = "{" + parts.joined(separator: " ,\n") + "}"
        #expect(try expected(JSONReader.read(type, from: Array(text.utf8))) == expected(value), "\(text)")
    }

    @Test("group and user stand beside every method's own parameters")
    func vaults() throws {
        for choice in [Keychain.VaultChoice(), .init(group: "g"), .init(user: "u/\""), .init(group: "g", user: "u")] {
            let call = Keychain.InVault(Keychain.Exists(service: "s", account: "a"), choice)
            var members = ["service": "s", "account": "a"]
            members["group"] = choice.group
            members["user"] = choice.user
            #expect(text(call) == text(members))
            let read = try JSONReader.read(Keychain.InVault<Keychain.Exists>.self, from: Array(text(call).utf8))
            #expect(read.vault == choice && read.method.service == "s" && read.method.account == "a")
            let search = Keychain.InVault(Keychain.Search(text: "t", attributes: ["group": "x", "user": "y"]), choice)
            let found = try JSONReader.read(Keychain.InVault<Keychain.Search>.self, from: Array(text(search).utf8))
            #expect(found.vault == choice && found.method.attributes == ["group": "x", "user": "y"])
        }
        for wrong in [#"{"service":"s","group":1}"#, #"{"service":"s","group":"a","group":"b"}"#] {
            #expect(throws: JSONFailure.self) {
                try JSONReader.read(Keychain.InVault<Keychain.Exists>.self, from: Array(wrong.utf8))
            }
        }
    }
}
