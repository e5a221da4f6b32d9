import CCurl
import Cryptography
import LateLoading

/// Asks servers by libcurl, one request at a time. It keeps the connection for the next one.
///
/// A server is never trusted: what it sends has a limit, no address of its is followed, and TLS always shows who it is. Only
/// the proxies of the environment are used, and none for this machine itself.
@safe package struct HTTPClient: ~Copyable {
    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let limits: HTTPLimits

    /// - Throws: `.libraryMissing`, `.libraryTooOld`, or what libcurl says.
    package init(limits: HTTPLimits = HTTPLimits()) throws(HTTPError) {
        let library = try CurlLibrary.opened.get()
        guard let handle = unsafe library.make() else {
            throw library.error(CURLE_FAILED_INIT)
        }
        unsafe (self.library, self.handle, self.limits) = (library, handle, limits)
    }

    deinit { unsafe library.cleanUp(handle) }

    /// - Returns: the server's answer, with any status.
    package mutating func send(
        _ request: HTTPRequest, as credentials: HTTPCredentials? = nil
    ) throws(HTTPError) -> HTTPAnswer {
        // Nothing stays but the connection, also of the credentials.
        defer { unsafe library.reset(handle) }
        try configure(request)
        if let credentials { try authenticate(credentials) }
        let list = unsafe try headers(of: request, as: credentials)
        defer { unsafe library.free(list) }
        unsafe try setPointer(CURLOPT_HTTPHEADER, list)
        let sink = AnswerSink(limit: request.limit)
        let result = try withBody(of: request) { () throws(HTTPError) in
            let target = unsafe Unmanaged.passUnretained(sink).toOpaque()
            unsafe try setPointer(CURLOPT_WRITEDATA, target)
            unsafe try setPointer(CURLOPT_HEADERDATA, target)
            unsafe try setSink(CURLOPT_WRITEFUNCTION) { bytes, size, count, target in
                unsafe AnswerSink.sink(target)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            unsafe try setSink(CURLOPT_HEADERFUNCTION) { bytes, size, count, target in
                unsafe AnswerSink.sink(target)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            return unsafe library.perform(handle)
        }
        if sink.isOver { throw HTTPError(.tooLarge, raw: result.rawValue, reason: "the answer is too long") }
        try library.check(result)
        var status = 0
        try library.check(unsafe coffer_curl_get_number(library.get, handle, CURLINFO_RESPONSE_CODE, &status))
        let date: Int64? = if let text = sink.headers["date"] { seconds(text) } else { nil }
        return HTTPAnswer(status: status, headers: sink.headers, body: sink.body, date: date)
    }

    private func configure(_ request: HTTPRequest) throws(HTTPError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        try set(CURLOPT_PROTOCOLS_STR, request.address.isSecure ? "https" : "http")
        // One that the environment names would see what stays on this machine.
        if request.address.isLoopback { try set(CURLOPT_PROXY, "") }
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // The program has signals of its own.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connecting))
        try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(limits.whole))
        try set(CURLOPT_LOW_SPEED_LIMIT, HTTPLimits.slow)
        try set(CURLOPT_LOW_SPEED_TIME, max(1, Self.milliseconds(limits.silence) / 1000))
        try library.check(
            unsafe coffer_curl_set_size(library.set, handle, CURLOPT_MAXFILESIZE_LARGE, Int64(request.limit)))
    }

    private func authenticate(_ credentials: HTTPCredentials) throws(HTTPError) {
        switch credentials.scheme {
        case .basic: try set(CURLOPT_HTTPAUTH, coffer_curl_basic)
        case .signed(let region): try set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
        }
        try set(CURLOPT_USERNAME, credentials.name)
        try unsafe text(credentials.secret).withUnsafeBytes { (bytes) throws(HTTPError) in
            try library.check(
                unsafe coffer_curl_set_text(
                    library.set, handle, CURLOPT_PASSWORD, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)))
        }
    }

    /// A secret as libcurl takes it, with a zero at its end. libcurl copies it, and here it is wiped at once.
    private func text(_ secret: SecretBytes, behind start: String = "") throws(HTTPError) -> SecretBytes {
        let start = Array(start.utf8)
        do throws(CryptographyError) {
            return try unsafe SecretBytes(unsafeCapacity: start.count + secret.count + 1) { buffer in
                unsafe start.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
                unsafe secret.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start.count...]).copyMemory(from: $0)
                }
                return buffer.count
            }
        } catch { throw library.error(CURLE_OUT_OF_MEMORY) }
    }

    /// The lines that go beside libcurl's own. None of those is taken away: its signature has them all.
    @unsafe
    private func headers(
        of request: HTTPRequest, as credentials: HTTPCredentials?
    ) throws(HTTPError) -> UnsafeMutablePointer<curl_slist>? {
        var lines = request.headers.map { "\($0.name): \($0.value)" }
        if request.body != nil { lines.append("Content-Type: \(request.contentType)") }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // A line break would begin another header.
            guard !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
                let longer = unsafe library.append(list, line)
            else {
                unsafe library.free(list)
                throw library.error(CURLE_BAD_FUNCTION_ARGUMENT)
            }
            unsafe list = longer
        }
        guard let token = credentials?.token else { return unsafe list }
        do throws(HTTPError) {
            let isLine = token.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7F }
            }
            guard isLine else { throw library.error(CURLE_BAD_FUNCTION_ARGUMENT) }
            let longer = try unsafe text(token, behind: Self.token).withUnsafeBytes { bytes in
                unsafe library.append(list, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
            guard let longer = unsafe longer else { throw library.error(CURLE_OUT_OF_MEMORY) }
            return unsafe longer
        } catch {
            unsafe library.free(list)
            throw error
        }
    }

    /// Amazon's own name for it. libcurl signs it, as all headers.
    private static let token = "x-amz-security-token: "

    /// libcurl reads the body where it lies.
    private func withBody(
        of request: HTTPRequest, _ body: () throws(HTTPError) -> CURLcode
    ) throws(HTTPError) -> CURLcode {
        guard let bytes = request.body else { return try body() }
        let result: Result<CURLcode, HTTPError> = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(HTTPError) in
                try library.check(
                    unsafe coffer_curl_set_size(
                        library.set, handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(buffer.count)))
                // Of no bytes there is no address, and libcurl would read them from standard input.
                if !bytes.isEmpty, let start = buffer.baseAddress {
                    unsafe try setPointer(CURLOPT_POSTFIELDS, start)
                } else {
                    try set(CURLOPT_COPYPOSTFIELDS, "")
                }
                return try body()
            }
        }
        return try result.get()
    }

    private func seconds(_ text: String) -> Int64? {
        let time = unsafe library.date(text, nil)
        return time < 0 ? nil : Int64(time)
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(clamping: duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000)
    }

    private func set(_ option: CURLoption, _ value: some BinaryInteger) throws(HTTPError) {
        try library.check(unsafe coffer_curl_set_number(library.set, handle, option, Int(value)))
    }

    private func set(_ option: CURLoption, _ text: String) throws(HTTPError) {
        // A zero would end it early.
        guard !text.utf8.contains(0) else { throw library.error(CURLE_BAD_FUNCTION_ARGUMENT) }
        try library.check(unsafe coffer_curl_set_text(library.set, handle, option, text))
    }

    @unsafe
    private func setPointer(_ option: CURLoption, _ pointer: UnsafeRawPointer?) throws(HTTPError) {
        try library.check(unsafe coffer_curl_set_pointer(library.set, handle, option, pointer))
    }

    private func setSink(_ option: CURLoption, _ sink: @escaping coffer_curl_sink) throws(HTTPError) {
        try library.check(unsafe coffer_curl_set_sink(library.set, handle, option, sink))
    }
}

/// Takes an answer as it comes, up to its limits.
private final class AnswerSink {
    private let limit: Int
    private(set) var body: [UInt8] = []
    private(set) var headers: [String: String] = [:]
    /// Whether it was longer than it may be.
    private(set) var isOver = false
    private var headSize = 0

    init(limit: Int) { self.limit = limit }

    @unsafe
    static func sink(_ target: UnsafeMutableRawPointer?) -> AnswerSink? {
        unsafe target.map { unsafe Unmanaged<AnswerSink>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: how many bytes were taken. Any other number than all of them ends the request.
    @unsafe
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= limit - body.count else {
            isOver = true
            return 0
        }
        unsafe body += bytes
        return bytes.count
    }

    @unsafe
    func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int {
        headSize += bytes.count
        guard bytes.count <= HTTPLimits.line, headSize <= HTTPLimits.head else {
            isOver = true
            return 0
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        // A status line begins an answer. One of a proxy, or “100 Continue”, goes before the last.
        if line.hasPrefix("HTTP/") { headers = [:] }
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers[line[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
        }
        return bytes.count
    }
}
