import Identity
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// Streams end with their credential.
struct StreamExpiryTests {
  private static let rules = #"[{"allow":"act","to":"number/demo","anonymous":true}]"#
  private static let both = "a-token-of-a-reader act number\nanother-token-of-it act number"

  private func service(_ file: String = both, rules: String = "[]") -> Service {
    Service(settings: {
      $0.authentication = .tokens(file, rules: rules)
      $0.takesTokenInQuery = true
    })
  }

  private let target = "\(Service.root)/demo/events?access_token=a-token-of-a-reader"
  private let other = [(name: HTTPHeader.authorization, value: "Bearer another-token-of-it")]

  @Test func `a stream whose token is removed sends nothing that is committed later`() throws {
    let service = service()
    let reader = try service.open(target).skipOpening()
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == [#"1 {"value":1,"label":"none"}"#])
    service.api.replaceAuthentication(.tokens("another-token-of-it act number"))
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == ["expired {}"])
    #expect(reader.isFinished)
  }

  @Test func `a stream whose right is gone ends`() throws {
    let service = service(rules: Self.rules)
    let reader = try service.open("\(Service.root)/demo/events").skipOpening()
    service.api.replaceAuthentication(.tokens(Self.both))
    #expect(reader.read() == ["expired {}"])
  }

  @Test func `a stream whose credential is still valid continues`() throws {
    let service = service()
    let reader = try service.open(target).skipOpening()
    service.api.replaceAuthentication(.tokens(Self.both))
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == [#"1 {"value":1,"label":"none"}"#])
    #expect(!reader.isFinished)
  }

  @Test func `a stream of several sessions says so for each`() throws {
    let service = service()
    let reader = try service.open(
      "/v1/events?session=number/a&session=number/b&access_token=a-token-of-a-reader")
    _ = reader.read()
    service.api.replaceAuthentication(.tokens("another-token-of-it act number"))
    #expect(
      reader.read() == [
        #"expired {"session":"number/a","data":{}}"#, #"expired {"session":"number/b","data":{}}"#,
      ])
    #expect(reader.isFinished)
  }

  @Test func `a stream is woken when its token expires, and sends nothing more`() async throws {
    let isExpired = Atomic(false)
    let configuration = try SignedToken.configuration()
    let end = Timestamp.now.milliseconds / 1000 + 1_000
    let service = Service(
      expiries: StreamExpiries {
        isExpired.load(ordering: .relaxed) ? end * 1000 : Timestamp.now.milliseconds
      },
      settings: {
        $0.authentication = configuration
        $0.takesTokenInQuery = true
      })
    let claims = #"{"sub":"ada","scope":"reactord:act"}"#
    let token = SignedToken.make(claims, expiry: end)
    let reader = try service.open("\(Service.root)/demo/events?access_token=\(token)")
    _ = reader.read()
    await withCheckedContinuation { continuation in
      let waker = Waker {
        let isDue = isExpired.load(ordering: .relaxed)
        #expect(isDue)
        continuation.resume()
      }
      for group in reader.groups { group.add(waker) }
      isExpired.store(true, ordering: .relaxed)
    }
    _ = try service.act(
      #"{"add":1}"#, [(.authorization, "Bearer \(SignedToken.make(claims))")])
    #expect(reader.read() == ["expired {}"])
    #expect(reader.isFinished)
    reader.close()
  }

  @Test func `streams are woken within a second after their expiry, by a virtual clock`() {
    var random = SystemRandomNumberGenerator()
    var schedule = ExpirySchedule()
    var now: Int64 = 1_800_000_000_000
    var waiting: [ObjectIdentifier: Int64] = [:]
    var groups: [StreamGroup] = []
    for _ in 0..<500 {
      let expiry = now / 1000 + .random(in: 1...3_600, using: &random)
      let group = StreamGroup()
      schedule.join(expiry, group)
      groups.append(group)
      waiting[ObjectIdentifier(group)] = expiry
    }
    // Some credentials are replaced before they expire.
    for group in groups.prefix(100) {
      guard let expiry = waiting[ObjectIdentifier(group)] else { continue }
      schedule.leave(expiry, group)
      schedule.join(expiry + 600, group)
      waiting[ObjectIdentifier(group)] = expiry + 600
    }
    while true {
      let (groups, pause) = schedule.due(at: now)
      for group in groups {
        guard let expiry = waiting.removeValue(forKey: ObjectIdentifier(group)) else {
          Issue.record("A group was woken twice.")
          continue
        }
        #expect((0...1000).contains(now - expiry * 1000))
        schedule.leave(expiry, group)
      }
      guard let pause else { break }
      // The clock may be set forward while the task sleeps for at most a second.
      now += .random(in: 0..<20, using: &random) == 0 ? ExpirySchedule.longestPause : pause
    }
    #expect(waiting.isEmpty)
  }

  @Test func `an earlier expiry is noticed, a later one waits`() {
    var schedule = ExpirySchedule()
    let (late, early) = (StreamGroup(), StreamGroup())
    schedule.join(5000, late)
    #expect(schedule.due(at: 0).pause == ExpirySchedule.longestPause)
    schedule.join(2, early)
    #expect(schedule.due(at: 1_500).pause == 500)
    #expect(schedule.due(at: 1_999).groups.isEmpty)
    #expect(schedule.due(at: 2_000).groups.map { $0 === early } == [true])
    #expect(schedule.due(at: 5_000_000).groups.map { $0 === late } == [true])
    #expect(schedule.due(at: 5_000_000).pause == nil)
  }

  /// The milliseconds since 1970 of a service, as a test sets them.
  private final class TestClock: Sendable {
    private let milliseconds = Mutex(Timestamp.now.milliseconds)

    var now: Int64 { milliseconds.withLock { $0 } }

    func set(_ time: Int64) { milliseconds.withLock { $0 = time } }
  }

  /// Opens a stream whose token expires at `end`, in seconds, of a service for which `other` never does.
  private func open(leeway: Int64 = 0) throws -> (
    service: Service, clock: TestClock, end: Int64, other: [(name: HTTPHeader, value: String)],
    reader: Reader
  ) {
    let clock = TestClock()
    let configuration = try SignedToken.configuration(leeway: leeway)
    let service = Service(
      expiries: StreamExpiries { clock.now },
      settings: {
        $0.authentication = configuration
        $0.takesTokenInQuery = true
      })
    let claims = #"{"sub":"ada","scope":"reactord:act"}"#
    let end = clock.now / 1000 + 1_000
    let token = SignedToken.make(claims, expiry: end)
    let other = [(name: HTTPHeader.authorization, value: "Bearer \(SignedToken.make(claims))")]
    let reader = try service.open("\(Service.root)/demo/events?access_token=\(token)").skipOpening()
    return (service, clock, end, other, reader)
  }

  @Test func `a stream sends nothing after the expiry of its credential`() throws {
    let (service, clock, end, other, reader) = try open()
    clock.set(end * 1000 - 1)
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == [#"1 {"value":1,"label":"none"}"#])
    clock.set(end * 1000)
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == ["expired {}"])
    #expect(reader.isFinished)
    reader.close()
  }

  @Test(arguments: [(30, 0), (0, 30)] as [(Int64, Int64)])
  func `a stream ends with the leeway of the latest configuration`(
    before: Int64, after: Int64
  ) async throws {
    let (service, clock, end, other, reader) = try open(leeway: before)
    service.api.replaceAuthentication(try SignedToken.configuration(leeway: after))
    #expect(reader.next() == nil)
    clock.set((end + after) * 1000 - 1)
    _ = try service.act(#"{"add":1}"#, other)
    #expect(reader.read() == [#"1 {"value":1,"label":"none"}"#])
    await withCheckedContinuation { continuation in
      let waker = Waker { continuation.resume() }
      for group in reader.groups { group.add(waker) }
      clock.set((end + after) * 1000)
    }
    #expect(reader.read() == ["expired {}"])
    reader.close()
  }

  /// Calls a function at the first wake.
  private final class Waker: StreamWaking {
    private let function: Mutex<(@Sendable () -> Void)?>

    init(_ function: @escaping @Sendable () -> Void) { self.function = Mutex(function) }

    func wake(_ group: StreamGroup) { function.withLock { $0.take() }?() }
  }

  @Test func `a change of the configuration wakes the stream`() throws {
    let service = service()
    let reader = try service.open(target)
    #expect(reader.groups.contains { $0 === service.api.expiries.changed })
  }
}
