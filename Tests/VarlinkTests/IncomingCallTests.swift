import JSON
import Testing
import Varlink

@Suite("a call is read once, as the method that it names")
struct IncomingCallTests {
    private struct Add: VarlinkMethod {
        static let name = "org.example.Sum.Add"
        var first: Int64
        var second: Int64?

        init(from reader: inout JSONReader) throws(JSONFailure) {
            var first: Int64?
            var second: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: ["first", "second"]) {
                if member == 0 { first = try reader.read() } else { second = try reader.read() }
            }
            self.first = try members.required(first, "first")
            self.second = second
        }

        func write(to writer: inout JSONWriter) { writer.emptyObject() }

        struct Reply: JSONValue, Equatable {
            var sum: Int64

            init(sum: Int64) { self.sum = sum }

            init(from reader: inout JSONReader) throws(JSONFailure) {
                var sum: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: ["sum"]) != nil { sum = try reader.read() }
                self.sum = try members.required(sum, "sum")
            }

            func write(to writer: inout JSONWriter) { writer.emptyObject() }
        }
    }

    private struct Reset: VarlinkMethod {
        static let name = "org.example.Sum.Reset"
        typealias Reply = Nothing

        init(from reader: inout JSONReader) throws(JSONFailure) { try reader.emptyObject() }
        func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    private let interfaces = ServedInterfaces(
        product: "example", version: "1", interfaces: [.init(name: "org.example.Sum", description: "text")],
        methods: [Add.self, Reset.self])

    private func read(_ text: String) throws -> IncomingCall {
        try IncomingCall(Array(text.utf8), served: interfaces.methods)
    }

    @Test func parametersAreThoseOfTheMethod() throws {
        let call = try read(#"{"method":"org.example.Sum.Add","parameters":{"first":1,"second":2},"more":true}"#)
        let add = try #require(try call.parameters() as? Add)
        #expect(add.first == 1 && add.second == 2)
        #expect(call.more && !call.oneway)
    }

    @Test("without parameters they are an empty object", arguments: ["", #","parameters":null"#, #","parameters":{}"#])
    func nothing(rest: String) throws {
        #expect(try read(#"{"method":"org.example.Sum.Reset""# + rest + "}").parameters() is Reset)
    }

    @Test(
        "what is missing or of another type is named",
        arguments: [
            (#","parameters":{}"#, "first"), ("", "first"), (#","parameters":{"first":"1"}"#, "first"),
            (#","parameters":{"first":1,"second":[]}"#, "second"), (#","parameters":7"#, "parameters"),
            (#","parameters":{"first":1.5}"#, "first"), (#","parameters":{"first":9223372036854775808}"#, "first"),
            (#","parameters":{"first":1,"parameters":{"a":1},"second":[1]}"#, "second"),
        ])
    func invalid(rest: String, name: String) throws {
        let call = try read(#"{"method":"org.example.Sum.Add""# + rest + "}")
        let fault = #expect(throws: Fault.self) { try call.parameters() }
        #expect(fault?.name == .invalidParameter && fault?.details.parameter == name)
    }

    @Test(
        "what is no call at all is thrown",
        arguments: [
            #"{}"#, #"{"method":7}"#, #"{"method":null}"#, #"{"method":"x","more":1}"#, #"{"method":"x","oneway":"y"}"#,
            #"{"method":"x","upgrade":0}"#,
        ])
    func noCall(text: String) {
        let failure = #expect(throws: JSONFailure.self) { try read(text) }
        #expect(failure?.malformation == nil)
    }

    @Test("what is not served has no parameters, and is refused by its name")
    func unknown() throws {
        for (method, name) in [
            ("org.example.Sum.Divide", Fault.Name.methodNotFound), ("org.example.Other.Add", .interfaceNotFound),
            ("Add", .methodNotFound),
        ] {
            let call = try read(#"{"method":""# + method + #"","parameters":{"first":"not read"}}"#)
            #expect(try call.parameters() == nil)
            let fault = #expect(throws: Fault.self) { try interfaces.answer(nil, to: call.method) }
            #expect(fault?.name == name)
        }
    }

    @Test("the service describes itself")
    func introspection() throws {
        func answer(_ text: String) throws -> (any JSONWritable)? {
            let call = try read(text)
            return try interfaces.answer(call.parameters(), to: call.method)
        }
        let info = try answer(#"{"method":"org.varlink.service.GetInfo"}"#) as? VarlinkService.GetInfo.Reply
        #expect(info?.product == "example" && info?.interfaces == ["org.varlink.service", "org.example.Sum"])
        func description(_ name: String) throws -> String? {
            let text = #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":""#
            return (try answer(text + name + #""}}"#) as? VarlinkService.GetInterfaceDescription.Reply)?.description
        }
        #expect(try description("org.example.Sum") == "text")
        #expect(try description("org.varlink.service") == VarlinkService.description)
        let fault = #expect(throws: Fault.self) { try description(String(repeating: "x", count: 1000)) }
        #expect(fault?.name == .interfaceNotFound && fault?.details.interface?.count == 200)
        // A method of the socket's own is not answered here.
        #expect(try answer(#"{"method":"org.example.Sum.Reset"}"#) == nil)
    }

    @Test("an answer with an error is the error, whatever else it holds")
    func answers() throws {
        func read(_ text: String) throws -> VarlinkAnswer<Add.Reply> {
            try Varlink.decode(VarlinkAnswer<Add.Reply>.self, from: Array(text.utf8))
        }
        guard case .reply(let reply, continues: true) = try read(#"{"parameters":{"sum":3},"continues":true}"#) else {
            Issue.record("this is a reply, and another follows")
            return
        }
        #expect(reply == Add.Reply(sum: 3))
        guard case .fault(let fault) = try read(#"{"error":"a.b.C","parameters":{"sum":3,"message":"m"}}"#) else {
            Issue.record("this is an error")
            return
        }
        #expect(fault.name.rawValue == "a.b.C" && fault.details.message == "m")
        #expect(throws: JSONFailure.self) { try read(#"{"parameters":{}}"#) }
        #expect(throws: JSONFailure.self) { try read("{}") }
    }
}
