import ReactorHost
import Shares

@testable import ReactorHTTP

extension WorkOwner {
  private static let ledger = Ledger()

  /// The owner of the jobs of a client in a ledger of all tests.
  static func client(numbered number: UInt32) -> Self { .client(numbered: number, in: ledger) }

  /// The owner of the jobs of a client.
  static func client(numbered number: UInt32, in ledger: Ledger) -> Self {
    .client(ledger.account(of: .network(high: 0, low: UInt64(number))))
  }
}
