import CExpat
import LateLoading
import Platform

/// Reads a document of somebody who is not trusted, by expat. It has limits, and no document type: so there are no entities.
///
/// expat does not look up what a prefix stands for. It would repeat the whole namespace for each part and attribute, so that
/// a megabyte took a terabyte.
package enum XMLDocument {
    package struct Limits: Sendable {
        /// Parts within parts.
        package var depth = 16
        package var elements = 200_000
        /// The bytes of all texts.
        package var text = 16 << 20
        /// The bytes of one name or text. To compare two can take a time that grows with the square.
        package var part = 16 << 10

        package init() {}
    }

    /// - Returns: the outermost part.
    package static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(XMLError) -> XMLElement {
        let library = try ExpatLibrary.opened.get()
        guard let parser = unsafe library.make(nil) else {
            throw XMLError(.other, raw: XML_ERROR_NO_MEMORY.rawValue)
        }
        defer { unsafe library.free(parser) }
        let builder = Builder(limits)
        let target = unsafe Target(builder, library, parser)
        unsafe library.setData(parser, Unmanaged.passUnretained(target).toOpaque())
        unsafe library.setElements(
            parser,
            { data, name, attributes in
                unsafe Target.of(data)?.perform { unsafe $0.begin(name, attributes) }
            }, { data, _ in unsafe Target.of(data)?.perform { $0.end() } })
        unsafe library.setText(parser) { data, bytes, count in
            unsafe Target.of(data)?.perform {
                unsafe $0.add(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            }
        }
        unsafe library.setDocumentType(parser) { data, _, _, _, _ in
            unsafe Target.of(data)?.perform { _ in XMLError(.documentType) }
        }
        guard let count = Int32(exactly: bytes.count) else { throw XMLError(.tooLarge) }
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { unsafe library.parse(parser, $0.baseAddress, count, 1) }
        }
        if let failure = target.failure { throw failure }
        guard status == XML_STATUS_OK, let root = builder.root else {
            throw XMLError(.malformed, raw: unsafe library.code(parser).rawValue)
        }
        return root
    }

    /// What expat's calls come to. The first failure ends the parse.
    @safe private final class Target {
        private let builder: Builder
        private let library: ExpatLibrary
        private let parser: XML_Parser
        private(set) var failure: XMLError?

        init(_ builder: Builder, _ library: ExpatLibrary, _ parser: XML_Parser) {
            unsafe (self.builder, self.library, self.parser) = (builder, library, parser)
        }

        @unsafe
        static func of(_ data: UnsafeMutableRawPointer?) -> Target? {
            unsafe data.map { unsafe Unmanaged<Target>.fromOpaque($0).takeUnretainedValue() }
        }

        func perform(_ body: (Builder) -> XMLError?) {
            guard failure == nil, let problem = body(builder) else { return }
            failure = problem
            _ = unsafe library.stop(parser, XML_FALSE)
        }
    }

    /// Makes the parts as they come.
    private final class Builder {
        private let limits: Limits
        private var open: [XMLElement] = []
        private var elements = 0
        private var size = 0
        private(set) var root: XMLElement?

        init(_ limits: Limits) { self.limits = limits }

        /// - Parameter attributes: names and values in turn, and nil.
        @unsafe
        func begin(
            _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> XMLError? {
            elements += 1
            guard elements <= limits.elements, open.count < limits.depth else { return XMLError(.tooLarge) }
            let whole = unsafe name.map { unsafe String(cString: $0) } ?? ""
            guard whole.utf8.count <= limits.part else { return XMLError(.tooLarge) }
            let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let own = parts.last else {
                return XMLError(.malformed)
            }
            let declares = parts.count == 2 ? "xmlns:\(parts[0])" : "xmlns"
            let namespace = unsafe Self.value(of: declares, attributes)
            guard isQuick(whole), isQuick(namespace) else { return XMLError(.tooLarge) }
            open.append(XMLElement(name: String(own), namespace: namespace))
            return nil
        }

        @unsafe
        private static func value(
            of name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> String {
            guard let attributes = unsafe attributes else { return "" }
            var place = 0
            while let key = unsafe attributes[place], let value = unsafe attributes[place + 1] {
                // By bytes, because a key of somebody who is not trusted has any length.
                if unsafe String(cString: key).utf8.elementsEqual(name.utf8) { return unsafe String(cString: value) }
                place += 2
            }
            return ""
        }

        /// Whether to compare a text takes a time that grows with its length alone, and that is limited.
        private func isQuick(_ text: String) -> Bool {
            text.utf8.count <= limits.part && CombiningMarks.areFew(in: text)
        }

        func end() -> XMLError? {
            guard let element = open.popLast() else { return XMLError(.malformed) }
            guard isQuick(element.text) else { return XMLError(.tooLarge) }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
            return nil
        }

        @unsafe
        func add(_ bytes: UnsafeRawBufferPointer) -> XMLError? {
            size += bytes.count
            guard size <= limits.text else { return XMLError(.tooLarge) }
            guard !open.isEmpty else { return nil }
            guard open[open.count - 1].text.utf8.count + bytes.count <= limits.part else { return XMLError(.tooLarge) }
            // Whitespace between parts is not kept: it is most of an answer.
            unsafe open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
            return nil
        }
    }
}

/// Why a document cannot be read.
package struct XMLError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// libexpat is not installed.
        case libraryMissing
        case malformed
        /// It has a document type, which can hold anything.
        case documentType
        /// It is deeper, or has more in it, than is read.
        case tooLarge
        case other
    }

    package let code: Code
    /// expat's number; 0 if the failure did not come from there.
    package let raw: UInt32
    /// The dynamic linker's words; empty if it has none.
    package let reason: String

    /// It can be read, and is not what was asked for.
    package static let unexpected = XMLError(.malformed)

    init(_ code: Code, raw: UInt32 = 0, reason: String = "") {
        (self.code, self.raw, self.reason) = (code, raw, reason)
    }
}

/// The functions of expat, opened when the first document is read.
@safe private struct ExpatLibrary: Sendable {
    typealias Make = @Sendable @convention(c) (UnsafePointer<CChar>?) -> XML_Parser?
    typealias Free = @Sendable @convention(c) (XML_Parser?) -> Void
    typealias SetData = @Sendable @convention(c) (XML_Parser?, UnsafeMutableRawPointer?) -> Void
    typealias SetElements =
        @Sendable @convention(c) (
            XML_Parser?, XML_StartElementHandler?, XML_EndElementHandler?
        ) -> Void
    typealias SetText = @Sendable @convention(c) (XML_Parser?, XML_CharacterDataHandler?) -> Void
    typealias SetType = @Sendable @convention(c) (XML_Parser?, XML_StartDoctypeDeclHandler?) -> Void
    typealias Parse = @Sendable @convention(c) (XML_Parser?, UnsafePointer<CChar>?, Int32, Int32) -> XML_Status
    typealias Stop = @Sendable @convention(c) (XML_Parser?, XML_Bool) -> XML_Status
    typealias Code = @Sendable @convention(c) (XML_Parser?) -> XML_Error

    let make: Make
    let free: Free
    let setData: SetData
    let setElements: SetElements
    let setText: SetText
    let setDocumentType: SetType
    let parse: Parse
    let stop: Stop
    let code: Code

    /// Opened once in a process.
    static let opened: Result<ExpatLibrary, XMLError> = Result { () throws(XMLError) in try ExpatLibrary() }

    private init() throws(XMLError) {
        do throws(LateLibraryError) {
            let library = try LateLibrary("libexpat.so.1")
            // Each has the type that its header gives it.
            unsafe make = try unsafe unsafeBitCast(library.address(of: "XML_ParserCreate"), to: Make.self)
            unsafe free = try unsafe unsafeBitCast(library.address(of: "XML_ParserFree"), to: Free.self)
            unsafe setData = try unsafe unsafeBitCast(library.address(of: "XML_SetUserData"), to: SetData.self)
            unsafe setElements = try unsafe unsafeBitCast(
                library.address(of: "XML_SetElementHandler"), to: SetElements.self)
            unsafe setText = try unsafe unsafeBitCast(
                library.address(of: "XML_SetCharacterDataHandler"), to: SetText.self)
            unsafe setDocumentType = try unsafe unsafeBitCast(
                library.address(of: "XML_SetStartDoctypeDeclHandler"), to: SetType.self)
            unsafe parse = try unsafe unsafeBitCast(library.address(of: "XML_Parse"), to: Parse.self)
            unsafe stop = try unsafe unsafeBitCast(library.address(of: "XML_StopParser"), to: Stop.self)
            unsafe code = try unsafe unsafeBitCast(library.address(of: "XML_GetErrorCode"), to: Code.self)
        } catch { throw XMLError(.libraryMissing, reason: error.reason) }
    }
}
