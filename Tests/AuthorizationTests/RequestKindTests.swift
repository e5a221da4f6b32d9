import Testing

@testable import Authorization

/// Rules that each row of the table of requests must keep.
struct RequestKindTests {
    @Test func onlyReadingItemsTakesAnAnswerThatWasGivenBefore() {
        for kind in RequestKind.allCases {
            let answers = [RequestKind.Answer.earlier, .shared, .lease].filter(kind.accepts)
            switch kind {
            case .read: #expect(answers == [.earlier, .shared, .lease])
            // It fills a prompt by itself.
            case .readAll: #expect(answers == [.earlier, .lease])
            default: #expect(answers.isEmpty, "\(kind)")
            }
        }
        #expect(RequestKind.allCases.filter { $0.terms.asks == .never } == [.enrolment])
    }

    @Test func consentToUnlockingComesOnlyWithTheUseOfItems() {
        let withUnlock = RequestKind.allCases.filter(\.terms.canUnlock)
        #expect(withUnlock == [.read, .readAll, .change, .rename])
        for kind in withUnlock {
            #expect(kind.rootSignatures(unlocking: false).isEmpty && kind.rootSignatures(unlocking: true) == [.unlock])
        }
    }

    @Test func eachRootIsSignedForOnceAndByItsOwnKind() {
        for kind in RequestKind.allCases {
            let signs = kind.terms.signs
            #expect(Set(signs).count == signs.count && !signs.contains(where: \.isForReading), "\(kind)")
            #expect(kind.terms.replaces == nil || signs.contains(.unlock), "\(kind)")
        }
        for kind in AuthorizationKind.allCases { #expect(kind.role.authorization == kind) }
    }

    @Test func onlyAnOwnerDecidesAboutTheirPasswordTheirBootAndTheirCode() {
        let own: [RequestKind] = [
            .recovery, .bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot,
        ]
        #expect(RequestKind.allCases.filter { $0.terms.askers == [.owner] } == own)
        // Who shares is never for a service's own account to decide.
        #expect(RequestKind.allCases.filter { $0.terms.askers == [.person] } == [.paperToCircle, .releaseToCircle])
        #expect(
            RequestKind.allCases.filter { $0.terms.askers == [.person, .rootForService] }
                == [.foundCircle, .addToCircle, .joinCircle, .removeFromCircle])
        #expect(RequestKind.allCases.filter { $0.terms.askers.contains(.root) } == [.accept])
        #expect(RequestKind.allCases.filter { $0.terms.vault == .absent } == [.create])
    }

    @Test func everyRequestHasWords() {
        for kind in RequestKind.allCases {
            #expect(kind.terms.words.first?.isUppercase == true, "\(kind)")
            #expect(kind.terms.effect.isEmpty || kind.terms.effect.hasSuffix("."), "\(kind)")
        }
    }
}
