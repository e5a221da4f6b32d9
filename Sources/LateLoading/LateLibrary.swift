import Glibc

/// A shared library that a program opens when it first needs it. A program that does not need it starts without it, and
/// without all that it brings along (docs/decisions/0032-http.md).
///
/// It stays open until the program ends.
@safe package struct LateLibrary: Sendable {
    // It stays open, and dlsym is for all threads.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    private let name: String

    /// - Parameter name: as the dynamic linker knows it, for example `libcurl.so.4`.
    package init(_ name: String) throws(LateLibraryError) {
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw LateLibraryError(library: name, reason: Self.reason())
        }
        unsafe (self.handle, self.name) = (handle, name)
    }

    /// The address of a function. It is valid until the program ends.
    @unsafe
    package func address(of function: String) throws(LateLibraryError) -> UnsafeMutableRawPointer {
        guard let address = unsafe dlsym(handle, function) else {
            throw LateLibraryError(library: name, reason: Self.reason())
        }
        return unsafe address
    }

    private static func reason() -> String {
        unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason is known"
    }
}

/// Why a library is not there, or not as it should be.
package struct LateLibraryError: Error, Sendable, Equatable {
    package let library: String
    /// The dynamic linker's words.
    package let reason: String
}
