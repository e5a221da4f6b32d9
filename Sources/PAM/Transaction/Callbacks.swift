internal import CPAM
internal import Cryptography
internal import Glibc
internal import Synchronization

/// The C function that libpam calls with the messages of its modules (`pam_conv(3)`).
func converse(
    count: CInt, messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
    responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, context: UnsafeMutableRawPointer?
) -> CInt {
    guard let messages = unsafe messages, let responses = unsafe responses, let context = unsafe context,
        (1...PAM_MAX_NUM_MSG).contains(count)
    else { return PAM_CONV_ERR }
    unsafe responses.pointee = nil
    let state = unsafe Unmanaged<ConversationState>.fromOpaque(context).takeUnretainedValue()
    guard let replies = ResponseArray(count: Int(count)) else {
        state.interrupt(.outOfMemory)
        return PAM_BUF_ERR
    }
    do throws(Interruption) {
        for index in 0..<Int(count) {
            // An interrupted conversation stays interrupted, even if a module tries again.
            if let interruption = state.interruption { throw interruption }
            guard let message = unsafe messages[index].flatMap({ unsafe Message($0.pointee) }) else {
                throw .unsupported
            }
            let answer = try state.conversation.respond(to: message)
            if message.style.wantsAnswer {
                guard let answer, Answer.objection(to: answer) == nil else { throw .cancelled }
                guard replies.set(answer, at: index) else { throw .outOfMemory }
            }
            state.note(Contact(message, isAnswerEmpty: answer?.isEmpty ?? true))
        }
    } catch {
        state.interrupt(error)
        return PAM_CONV_ERR
    }
    unsafe responses.pointee = replies.release()
    return PAM_SUCCESS
}

/// The C function that libpam calls instead of sleeping after a failure (`PAM_FAIL_DELAY`).
func delayAfterFailure(status: CInt, microseconds: CUnsignedInt, context: UnsafeMutableRawPointer?) {
    guard status != PAM_SUCCESS, let context = unsafe context else { return }
    let state = unsafe Unmanaged<ConversationState>.fromOpaque(context).takeUnretainedValue()
    guard state.interruption == nil else { return }
    state.conversation.pause(microseconds: microseconds)
}

extension Message {
    /// Far above `PAM_MAX_MSG_SIZE`, which not all modules respect. This limits a module that misbehaves.
    private static let maximumTextCount = 4096

    fileprivate init?(_ message: pam_message) {
        let style: Style
        switch unsafe message.msg_style {
        case PAM_PROMPT_ECHO_OFF: style = .secret
        case PAM_PROMPT_ECHO_ON: style = .visible
        case PAM_TEXT_INFO: style = .info
        case PAM_ERROR_MSG: style = .error
        default: return nil
        }
        guard let text = unsafe message.msg else {
            self.init(style: style, text: "")
            return
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strnlen(text, Self.maximumTextCount))
        self.init(style: style, text: unsafe String(decoding: bytes, as: UTF8.self))
    }
}

/// The object behind `appdata_ptr` during a transaction. It holds the conversation and, if it was interrupted, the reason.
final class ConversationState: Sendable {
    let conversation: any Conversation
    private let reason = Mutex<Interruption?>(nil)
    private let most = Mutex(Contact.nothing)

    init(_ conversation: any Conversation) {
        self.conversation = conversation
    }

    /// The reason is kept here because modules turn an interruption into codes of their own choice.
    var interruption: Interruption? {
        reason.withLock { $0 }
    }

    /// The most that modules have done with the person so far.
    var contact: Contact { most.withLock { $0 } }

    func note(_ contact: Contact) { most.withLock { $0 = max($0, contact) } }

    func interrupt(_ reason: Interruption) {
        self.reason.withLock { if $0 == nil { $0 = reason } }
    }
}
