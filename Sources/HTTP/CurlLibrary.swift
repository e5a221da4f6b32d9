import CCurl
import LateLoading

/// The functions of libcurl, opened when the first client is made (docs/decisions/0032-http.md).
@safe struct CurlLibrary: Sendable {
    typealias Begin = @Sendable @convention(c) (Int) -> CURLcode
    typealias Make = @Sendable @convention(c) () -> UnsafeMutableRawPointer?
    typealias Handle = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias Perform = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> CURLcode
    typealias Words = @Sendable @convention(c) (CURLcode) -> UnsafePointer<CChar>?
    typealias Append =
        @Sendable @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?)
        -> UnsafeMutablePointer<curl_slist>?
    typealias Free = @Sendable @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
    typealias Date = @Sendable @convention(c) (UnsafePointer<CChar>?, UnsafePointer<time_t>?) -> time_t
    typealias Version = @Sendable @convention(c) (CURLversion) -> UnsafeMutablePointer<curl_version_info_data>?

    let make: Make
    let cleanUp: Handle
    let reset: Handle
    let perform: Perform
    let words: Words
    let append: Append
    let free: Free
    let date: Date
    // Addresses of functions, which never change.
    nonisolated(unsafe) let set: UnsafeMutableRawPointer
    nonisolated(unsafe) let get: UnsafeMutableRawPointer

    static let name = "libcurl.so.4"
    /// 7.85, the first one that takes the allowed protocols as text.
    private static let oldest: UInt32 = 0x07_55_00

    /// Opened once in a process.
    static let opened: Result<CurlLibrary, HTTPError> = Result { () throws(HTTPError) in try CurlLibrary() }

    private init() throws(HTTPError) {
        let begin: Begin
        let version: Version
        do throws(LateLibraryError) {
            let library = try LateLibrary(Self.name)
            // Each has the type that its header gives it.
            begin = try unsafe unsafeBitCast(library.address(of: "curl_global_init"), to: Begin.self)
            unsafe version = try unsafe unsafeBitCast(library.address(of: "curl_version_info"), to: Version.self)
            unsafe make = try unsafe unsafeBitCast(library.address(of: "curl_easy_init"), to: Make.self)
            unsafe cleanUp = try unsafe unsafeBitCast(library.address(of: "curl_easy_cleanup"), to: Handle.self)
            unsafe reset = try unsafe unsafeBitCast(library.address(of: "curl_easy_reset"), to: Handle.self)
            unsafe perform = try unsafe unsafeBitCast(library.address(of: "curl_easy_perform"), to: Perform.self)
            unsafe words = try unsafe unsafeBitCast(library.address(of: "curl_easy_strerror"), to: Words.self)
            unsafe append = try unsafe unsafeBitCast(library.address(of: "curl_slist_append"), to: Append.self)
            unsafe free = try unsafe unsafeBitCast(library.address(of: "curl_slist_free_all"), to: Free.self)
            unsafe date = try unsafe unsafeBitCast(library.address(of: "curl_getdate"), to: Date.self)
            unsafe set = try unsafe library.address(of: "curl_easy_setopt")
            unsafe get = try unsafe library.address(of: "curl_easy_getinfo")
        } catch { throw HTTPError(.libraryMissing, reason: error.reason) }
        let code = begin(coffer_curl_global)
        guard code == CURLE_OK else { throw error(code) }
        guard let data = unsafe version(coffer_curl_version), unsafe data.pointee.version_num >= Self.oldest else {
            throw HTTPError(.libraryTooOld, reason: "it is older than 7.85")
        }
    }

    func error(_ code: CURLcode) -> HTTPError {
        HTTPError(raw: code, reason: unsafe words(code).map { unsafe String(cString: $0) } ?? "unknown error")
    }

    /// The gate for calls that return `CURLE_OK` or an error.
    func check(_ code: CURLcode) throws(HTTPError) {
        guard code == CURLE_OK else { throw error(code) }
    }
}
