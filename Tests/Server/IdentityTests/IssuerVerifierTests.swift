import Crypto
import ReactorCore
import Synchronization
import Testing

@testable import Identity

/// Tokens of several issuers.
struct IssuerVerifierTests {
  /// A provider in the process of the test.
  private final class Source: KeySource {
    let requests = Atomic(0)
    let permitted: Int
    let confirmed: Int64?

    init(permitted: Int = 0, confirmed: Int64? = 900) {
      (self.permitted, self.confirmed) = (permitted, confirmed)
    }

    func refresh(at now: Int64) -> PendingDecision? {
      let count = requests.add(1, ordering: .relaxed).newValue
      return count <= permitted ? PendingDecision(Task {}) : nil
    }
  }

  private static let secrets = [1, 2, 3].map { [UInt8](repeating: $0, count: 32) }
  private static let urls = ["https://a.example", "https://b.example"]

  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: Base64URL.encode(bytes), as: UTF8.self)
  }

  private func keys(_ secret: Int, id: String? = nil) throws -> KeySet {
    let id = id.map { #","kid":"\#($0)""# } ?? ""
    return try KeySet(Array(#"{"kty":"oct","k":"\#(text(Self.secrets[secret]))"\#(id)}"#.utf8))
  }

  private func token(_ claims: String, key secret: Int, id: String? = nil) -> [UInt8] {
    let id = id.map { #","kid":"\#($0)""# } ?? ""
    let message = [#"{"alg":"HS256"\#(id)}"#, #"{"exp":2000,\#(claims.dropFirst())"#]
      .map { text(Array($0.utf8)) }.joined(separator: ".")
    let code = MessageAuthentication.code(for: Array(message.utf8), key: Self.secrets[secret])
    return Array((message + "." + text(code)).utf8)
  }

  private func issuers(_ names: [String?]) throws -> [TrustedIssuer] {
    let list = zip(Self.urls, names).map { url, name in
      #"{"issuer":"\#(url)","audience":[]\#(name.map { #","name":"\#($0)""# } ?? "")}"#
    }
    return try TrustedIssuer.list(of: Array("[\(list.joined(separator: ","))]".utf8))
  }

  private func configuration(
    _ names: [String?] = [nil, nil], sources: [Source] = [Source(), Source()],
    hasKeys: Bool = true, id: String? = nil, file: Int? = nil
  ) throws -> Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    let issuers = try issuers(names)
    configuration.issuers = try issuers.enumerated().map { index, issuer in
      let others = issuers.filter { $0 != issuer }
      return IssuerVerifier(
        issuer, keys: hasKeys ? try keys(index, id: id) : nil, leeway: 0,
        among: others.isEmpty && file == nil ? nil : others, from: sources[index])
    }
    if let file {
      var rules = TokenVerifier.Rules()
      rules.otherQualifiers = issuers.map(\.name)
      configuration.verifier = TokenVerifier(keys: try keys(file), rules: rules)
    }
    configuration.rules = [AccessRule(allow: .act, to: SessionPattern("cart/{sub}"))]
    configuration.ticketKey = Array(repeating: 7, count: 32)
    return configuration
  }

  private func failure(
    _ token: [UInt8], _ configuration: Authenticator.Configuration
  ) -> Authenticator.Failure? {
    #expect(throws: Authenticator.Failure.self) {
      try Authenticator(configuration).authenticate(token, at: 1000)
    }
  }

  @Test func `a key verifies the tokens of its issuer only`() throws {
    let authenticator = Authenticator(try configuration(file: 2))
    for (index, url) in Self.urls.enumerated() {
      for key in 0..<3 {
        let token = token(#"{"sub":"ada","iss":"\#(url)"}"#, key: key)
        let access = try? authenticator.authenticate(token, at: 1000)
        #expect((access != nil) == (key == index), "\(url) \(key)")
      }
    }
    for claims in [
      #"{"sub":"ada"}"#, #"{"sub":"ada","iss":"https://c.example"}"#, #"{"sub":"ada","iss":7}"#,
    ] {
      for key in 0..<3 {
        let access = try? authenticator.authenticate(token(claims, key: key), at: 1000)
        #expect((access != nil) == (key == 2), "\(claims) \(key)")
      }
    }
    let unknown = token(#"{"sub":"ada","iss":"https://c.example"}"#, key: 0)
    #expect(failure(unknown, try configuration()) == .token(.wrongIssuer))
  }

  @Test func `users of two issuers with the same sub are two principals`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try Self.urls.enumerated().map { index, url in
      try authenticator.authenticate(token(#"{"sub":"ada","iss":"\#(url)"}"#, key: index), at: 1000)
    }
    #expect(access.map { $0.principal?.id } == ["a.example|ada", "b.example|ada"])
    let cart = Grants.Target.session(reactor: "cart", id: "a.example~7Cada")
    #expect(access.map { $0.allows(.act, to: cart) } == [true, false])
    #expect(access.allSatisfy { !$0.allows(.act, to: .session(reactor: "cart", id: "ada")) })
  }

  @Test func `the sub of a single issuer is that of its tokens`() throws {
    let single = try configuration([nil])
    let token = token(#"{"sub":"ada","iss":"https://a.example"}"#, key: 0)
    #expect(try Authenticator(single).authenticate(token, at: 1000).principal?.id == "ada")
  }

  @Test(arguments: [0, 2])
  func `an issuer without a name and a file of keys cannot name users of another one`(
    key: Int
  ) throws {
    let configuration = try configuration(["", "corp"], file: 2)
    let issuer = key == 0 ? #","iss":"https://a.example""# : ""
    let authenticator = Authenticator(configuration)
    let plain = token(#"{"sub":"auth0|ada"\#(issuer)}"#, key: key)
    #expect(try authenticator.authenticate(plain, at: 1000).principal?.id == "auth0|ada")
    let forged = token(#"{"sub":"corp|ada"\#(issuer)}"#, key: key)
    #expect(failure(forged, configuration) == .token(.invalidClaims))
  }

  @Test func `a token whose claims are nested as deeply as permitted has a ticket`() throws {
    let authenticator = Authenticator(try configuration())
    // The claims are the first of 16 levels.
    func token(_ depth: Int) -> [UInt8] {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return self.token(#"{"sub":"ada","iss":"\#(Self.urls[0])","deep":\#(deep)}"#, key: 0)
    }
    let access = try authenticator.authenticate(token(15), at: 1000)
    let ticket = try #require(authenticator.makeTicket(for: access, address: nil, at: 1000))
    let used = try authenticator.authenticate(
      ticket: Array(ticket.text.utf8), address: "", at: 1000)
    #expect(used.principal == access.principal)
    #expect(throws: Authenticator.Failure.self) {
      try authenticator.authenticate(token(16), at: 1000)
    }
  }

  @Test func `an authentication and a ticket are checked by the keys of their issuer`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(
      token(#"{"sub":"ada","iss":"https://a.example"}"#, key: 0), at: 1000)
    let ticket = try #require(authenticator.makeTicket(for: access, address: nil, at: 1000))
    authenticator.replace(try configuration())
    #expect(authenticator.refresh(access, at: 1000)?.principal?.id == "a.example|ada")
    let opened = try authenticator.authenticate(
      ticket: Array(ticket.text.utf8), address: "", at: 1000)
    #expect(opened.principal?.id == "a.example|ada")
    // The principal has another name now: what is open ends.
    authenticator.replace(try configuration([nil]))
    #expect(authenticator.refresh(access, at: 1000) == nil)
    authenticator.replace(try configuration(["corp", nil]))
    #expect(authenticator.refresh(access, at: 1000) == nil)
    // The issuer is not accepted any more, and has no key in the file.
    authenticator.replace(try configuration([], file: 2))
    #expect(authenticator.refresh(access, at: 1000) == nil)
  }

  @Test func `a key that is not known is requested once, and then rejected`() throws {
    let source = Source(permitted: 1)
    let configuration = try configuration([nil], sources: [source], id: "1")
    let claims = #"{"sub":"ada","iss":"https://a.example"}"#
    let unknown = token(claims, key: 1, id: "2")
    guard case .pending = failure(unknown, configuration) else {
      Issue.record("The keys are not requested.")
      return
    }
    #expect(failure(unknown, configuration) == .token(.unknownKey))
    // A known key with a wrong signature, and other faults, request nothing.
    let count = source.requests.load(ordering: .relaxed)
    #expect(failure(token(claims, key: 1, id: "1"), configuration) == .token(.badSignature))
    #expect(failure(token(claims, key: 1), configuration) == .token(.badSignature))
    #expect(source.requests.load(ordering: .relaxed) == count + 1, "without a key id")
    #expect(failure(Array("a.b.c".utf8), configuration) == .token(.malformed))
    #expect(source.requests.load(ordering: .relaxed) == count + 1)
  }

  @Test(arguments: [true, false])
  func `a token is neither accepted nor rejected while its provider does not respond`(
    hasKeys: Bool
  ) throws {
    let source = Source(confirmed: nil)
    let configuration = try configuration([nil], sources: [source], hasKeys: hasKeys, id: "1")
    let unknown = token(#"{"sub":"ada","iss":"https://a.example"}"#, key: 1, id: "2")
    #expect(failure(unknown, configuration) == .unavailable)
  }

  @Test(arguments: [(899, false), (900, true), (1000, true)])
  func `a token that is newer than the keys may have a newer key`(
    time: Int, isUndecided: Bool
  ) throws {
    let configuration = try configuration([nil], sources: [Source()], id: "1")
    let token = token(
      #"{"sub":"ada","iss":"https://a.example","iat":\#(time)}"#, key: 1, id: "2")
    #expect(
      failure(token, configuration) == (isUndecided ? .unavailable : .token(.unknownKey)))
  }

  @Test func `a wrong signature without a key id counts as a failure, whatever its time is`() throws
  {
    let configuration = try configuration([nil], sources: [Source()], id: "1")
    let forged = token(#"{"sub":"ada","iss":"https://a.example","iat":9999}"#, key: 1)
    #expect(failure(forged, configuration) == .token(.badSignature))
  }

  @Test func `a provider cannot publish a secret`() throws {
    let secret = #"{"kty":"oct","k":"\#(text(Self.secrets[0]))"}"#
    #expect(throws: KeySet.Failure.self) { try KeySet(published: Array(secret.utf8)) }
    let set = #"{"keys":[\#(secret),\#(Self.publicKey)]}"#
    let keys = try KeySet(published: Array(set.utf8))
    #expect(keys.count == 1)
    #expect(keys.warnings.count == 1)
    #expect(keys.isEqual(to: try KeySet(published: Array(Self.publicKey.utf8))))
    #expect(!keys.isEqual(to: try self.keys(0)))
  }

  private static let publicKey =
    #"{"kty":"OKP","crv":"Ed25519","kid":"1","x":"deQzy31XpI0eD2ZRX3iFndxiw9t0WZfVwGnyktxBtr8"}"#
}
