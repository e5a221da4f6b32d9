internal import CPAM
internal import Cryptography
internal import Glibc

/// The array of answers for libpam. The array and each answer are allocated with `malloc`, because the module frees them. Until libpam takes the
/// array, this value owns it, and wipes and frees it.
@safe struct ResponseArray: ~Copyable {
    private var elements: UnsafeMutablePointer<pam_response>?
    private let count: Int

    init?(count: Int) {
        guard let memory = unsafe calloc(count, MemoryLayout<pam_response>.stride) else { return nil }
        unsafe elements = unsafe memory.bindMemory(to: pam_response.self, capacity: count)
        self.count = count
    }

    deinit {
        guard let elements = unsafe elements else { return }
        for index in 0..<count {
            guard let text = unsafe elements[index].resp else { continue }
            unsafe explicit_bzero(text, strlen(text))
            unsafe free(text)
        }
        unsafe free(elements)
    }

    /// Copies an answer without NUL bytes into the array. Returns false if there is no memory for it.
    func set(_ answer: SecretBytes, at index: Int) -> Bool {
        guard let elements = unsafe elements, index < count, let memory = unsafe malloc(answer.count + 1) else {
            return false
        }
        let text = unsafe memory.bindMemory(to: CChar.self, capacity: answer.count + 1)
        unsafe answer.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { unsafe memory.copyMemory(from: source, byteCount: bytes.count) }
        }
        unsafe text[answer.count] = 0
        unsafe elements[index].resp = text
        return true
    }

    /// Gives the memory to libpam.
    consuming func release() -> UnsafeMutablePointer<pam_response>? {
        let released = unsafe elements
        unsafe elements = nil
        return unsafe released
    }
}
