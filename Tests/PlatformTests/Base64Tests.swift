import Platform
import Testing

/// The examples of RFC 4648, section 10, and what is no base64.
@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func theExamplesOfTheStandard(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test func everyByteGoesThereAndBack() {
        for count in [1, 2, 3, 255, 256, 1 << 16] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "====", "Z===", "=Zg=", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm-_", "Zm9\u{E9}", "Zh==", "Zm9=",
        "Zm9v=",
    ])
    func nothingElseIsTaken(text: String) { #expect(Base64.decode(text) == nil) }
}

@Suite struct FilePathTests {
    @Test func names() {
        #expect(FilePaths.name(of: "/usr/bin/pinentry") == "pinentry")
        #expect(FilePaths.name(of: "pinentry") == "pinentry")
        #expect(FilePaths.name(of: "/usr/\u{301}x") == "\u{301}x", "a name that begins with a mark")
        #expect(FilePaths.name(of: "/usr/bin/") == "bin")
        #expect(FilePaths.name(of: "/") == "/")
    }

    @Test func wholePaths() {
        #expect(FilePaths.absolute("/bin/sh") == "/bin/sh")
        #expect(FilePaths.absolute("a/b") == FilePaths.resolved(".") + "/a/b")
        #expect(FilePaths.resolved("/proc/self/../self/exe") == FilePaths.resolved("/proc/self/exe"))
        #expect(FilePaths.resolved("/no/such/file") == "/no/such/file")
    }
}
