import Foundation
import HTTP
import Testing

@testable import Courier
@testable import XML

/// What a server's refusals mean.
@Suite struct RemoteFailureTests {
    private static func failure(
        _ status: Int, _ word: String = "", headers: [String: String] = [:], date: Int64? = nil, extra: String = ""
    ) -> RemoteFailure {
        let body = word.isEmpty ? "" : "<Error><Code>\(word)</Code>\(extra)<Message>secret of others</Message></Error>"
        return RemoteFailure(
            HTTPAnswer(status: status, headers: headers, body: Array(body.utf8), date: date), now: 1_000_000)
    }

    @Test func eachStatusHasItsMeaning() {
        let meanings: [(Int, String, StoreError.Code)] = [
            (401, "", .refused), (403, "", .notPermitted), (403, "AccessDenied", .notPermitted),
            (403, "InvalidAccessKeyId", .refused), (403, "SignatureDoesNotMatch", .refused),
            (403, "RequestTimeTooSkewed", .clock), (404, "NoSuchBucket", .missing), (404, "", .missing),
            (301, "PermanentRedirect", .moved), (302, "", .moved), (400, "AuthorizationHeaderMalformed", .moved),
            (405, "", .readOnly), (413, "", .full), (507, "", .full), (423, "", .busy), (429, "", .busy),
            (500, "", .busy), (502, "", .busy), (503, "SlowDown", .busy), (504, "", .busy), (408, "", .busy),
            (400, "", .notUnderstood), (418, "", .notUnderstood), (501, "", .notUnderstood), (200, "", .notUnderstood),
        ]
        for (status, word, code) in meanings {
            let failure = Self.failure(status, word)
            #expect(failure.code == code, "\(status) \(word)")
            #expect(failure.isPassing == (code == .busy))
        }
    }

    /// The server's clock is in each of its answers. A difference is the reason only of a refusal.
    @Test func aClockThatDiffersIsNamed() {
        #expect(Self.failure(403, date: 1_000_000 + 299).code == .notPermitted)
        for skew: Int64 in [-1201, 1201] {
            let failure = Self.failure(403, date: 1_000_000 + skew)
            #expect(failure.code == .clock)
            let words = StoreError(.clock, at: "s3://x", remote: failure).description
            #expect(words.contains("20 minutes \(skew > 0 ? "behind" : "ahead of") the clock"), "\(words)")
        }
        // It asks who it is. With another clock, the present keys would not be doubted.
        #expect(Self.failure(401, date: 1_000_000 + 7200).code == .refused)
        #expect(Self.failure(401, "RequestExpired").code == .clock)
        // Its word for another reason counts more than its clock.
        #expect(Self.failure(403, "AccessDenied", date: 1).code == .notPermitted)
        #expect(Self.failure(503, date: 1).code == .busy)
    }

    @Test func theRegionIsToldOnlyIfItIsOne() {
        #expect(Self.failure(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "eu-x-1"]).region == "eu-x-1")
        let failure = Self.failure(400, "AuthorizationHeaderMalformed", extra: "<Region>eu-x-2</Region>")
        #expect(StoreError(.moved, at: "s3://x", remote: failure).description.contains("--region eu-x-2"))
        #expect(Self.failure(301, "X", headers: ["x-amz-bucket-region": "a; rm -rf ~"]).region.isEmpty)
    }

    @Test func theWaitIsBounded() {
        #expect(Self.failure(503, headers: ["retry-after": "7"]).retryAfter == 7)
        #expect(Self.failure(503, headers: ["retry-after": "99999999999"]).retryAfter == 3600)
        #expect(Self.failure(503, headers: ["retry-after": "-7"]).retryAfter == 0)
        for text in ["", "soon", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            #expect(Self.failure(503, headers: ["retry-after": text]).retryAfter == nil)
        }
        for tries in [0, 1, 5, 60, Int.max] {
            for spread in [0, 0.999] {
                let pause = RemoteLimits.pause(after: tries, wanted: nil, spread: spread)
                #expect(pause >= .milliseconds(500) && pause <= RemoteLimits.longest)
                let wanted = RemoteLimits.pause(after: tries, wanted: 3600, spread: spread)
                #expect(wanted == RemoteLimits.longest)
            }
        }
        #expect(RemoteLimits.pause(after: 0, wanted: 10, spread: 0) == .seconds(10))
    }

    /// What a server says is not shown: it could be anything, also an escape for the terminal.
    @Test func itsOwnWordsAreNotShown() {
        for word in ["\u{1b}[2J", "a b", String(repeating: "x", count: 65), "ü"] {
            #expect(Self.failure(403, word).word.isEmpty)
        }
        let failure = Self.failure(403, "AccessDenied")
        for code in StoreError.Code.allCases {
            let words = StoreError(code, at: "s3://x", remote: failure).description
            #expect(!words.contains("secret of others"))
        }
    }

    @Test func eachSaysWhatHappenedAndWhatToDo() {
        let codes: [StoreError.Code] = [
            .missing, .notPermitted, .readOnly, .full, .libraryMissing, .unreachable, .certificate, .busy, .refused,
            .clock, .moved, .notUnderstood,
        ]
        let texts = codes.map { StoreError($0, at: "s3://x", remote: RemoteFailure(status: 599)).description }
        #expect(Set(texts).count == texts.count)
        for text in texts { #expect(text.contains("s3://x") && text.hasSuffix(".")) }
        let expat = RemoteFailure(xml: XMLError(.libraryMissing, reason: "no file"))
        #expect(expat.code == .libraryMissing)
        #expect(StoreError(.libraryMissing, at: "s3://x", remote: expat).description.contains("apt install libexpat1"))
    }
}
