internal import ClientCore
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Requests access tokens from the app.
///
/// One call serves all requests that wait for a token.
final class TokenStore: Sendable {
  typealias Waiter = @Sendable (Result<String?, Problem>) -> Void

  private let provider: (@Sendable () async throws -> String)?
  private let state = Mutex(AccessTokenState<Waiter>())
  private let clock: ClientClock
  private let timer: DeadlineTimer
  private let renewed: @Sendable () -> Void

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - provider: Returns a new token, or `nil` if requests have none.
  ///   - queue: The queue of the timer.
  ///   - clock: The clock.
  ///   - renewed: Called when a token was replaced before its expiry.
  init(
    _ provider: (@Sendable () async throws -> String)?, on queue: DispatchQueue,
    _ clock: ClientClock, renewed: @escaping @Sendable () -> Void
  ) {
    self.provider = provider
    self.clock = clock
    self.renewed = renewed
    timer = DeadlineTimer(on: queue, clock)
  }

  /// Passes the current token to a waiter, immediately or when the app has provided it, or returns `nil` if
  /// the client has no tokens.
  func use(_ waiter: @escaping Waiter) {
    guard provider != nil else { return waiter(.success(nil)) }
    execute(state.withLock { $0.use(waiter) })
  }

  /// Discards a token that the server rejected.
  func reject(_ token: String?) {
    state.withLock { $0.reject(token) }
  }

  private func execute(_ outputs: [AccessTokenState<Waiter>.Output]) {
    for output in outputs {
      switch output {
      case .proceed(let waiter, let token): waiter(.success(token))
      case .fail(let waiter, let problem): waiter(.failure(problem))
      case .request(let number): request(number)
      }
    }
    setTimer()
  }

  private func request(_ number: Int) {
    guard let provider else { return }
    Task { [self] in
      let result: Result<String, Problem>
      do {
        result = .success(try await provider())
      } catch {
        result = .failure(
          Problem(
            .noToken, "The access token could not be obtained",
            "The closure `token` of ReactorServer threw: \(error). It is called again with the next "
              + "attempt."))
      }
      let expiry = (try? result.get()).flatMap(TokenExpiry.seconds(of:)).map {
        Duration.seconds($0 - Date().timeIntervalSince1970)
      }
      let (outputs, isRenewal) = state.withLock { state in
        let isRenewal = state.hasToken
        return (state.received(number, result, expiry: expiry, now: clock.now), isRenewal)
      }
      execute(outputs)
      if isRenewal, case .success = result { renewed() }
    }
  }

  private func setTimer() {
    timer.set(state.withLock { $0.deadline }) { [self] in
      execute(state.withLock { $0.wake(now: clock.now) })
    }
  }
}
