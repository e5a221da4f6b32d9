import ArgumentParser
import Testing

@testable import coffer_cli

/// For Unicode, a sign and an accent after it are one character, which is another sign. What people type is divided all
/// the same.
@Suite struct TypedSignTests {
    private static let mark = "\u{301}x"

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func anAttributesValueMayBeginWithAMark() throws {
        let argument = try AttributeArgument(parsing: "k=" + Self.mark)
        #expect(argument.key == "k" && bytes(argument.value) == bytes(Self.mark))
        #expect(try AttributeArgument(parsing: "a=b=c").value == "b=c")
        #expect(try AttributeArgument(parsing: "a=").value == "")
        for wrong in ["=x", "x", ""] {
            #expect(throws: ValidationError.self) { try AttributeArgument(parsing: wrong) }
        }
    }

    @Test func anAccountMayBeginWithAMark() {
        let splits = JoinedName.splits(of: "a/" + Self.mark + "/c").map { [bytes($0.service), bytes($0.account)] }
        #expect(splits == [[bytes("a"), bytes(Self.mark + "/c")], [bytes("a/" + Self.mark), bytes("c")]])
        #expect(JoinedName.splits(of: "/a").isEmpty)
    }

    @Test func aNewFileMayBeginWithAMark() throws {
        let (old, new) = try BootApproveCommand.parts("old=" + Self.mark, of: "--replace")
        #expect(old == "old" && bytes(new) == bytes(Self.mark))
        for wrong in ["=x", "x=", "x"] {
            #expect(throws: ValidationError.self) { try BootApproveCommand.parts(wrong, of: "--replace") }
        }
    }

    /// The variable is known by its name, and what is set to it is not repeated.
    @Test func whatIsSetToAVariableIsNoPartOfItsName() throws {
        let error = #expect(throws: ValidationError.self) { try SecretAssignment(parsing: "KEY=" + Self.mark) }
        #expect(error?.description.contains("KEY is not set to a reference") == true)
        #expect(try SecretAssignment(parsing: "KEY").reference == nil)
        #expect(try SecretAssignment(parsing: "KEY=coffer://a/b=c").reference?.account == "b=c")
    }
}
