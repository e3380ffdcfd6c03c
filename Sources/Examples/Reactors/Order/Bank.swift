package import ReactorCore

/// A service that accepts payments.
package protocol Bank: Sendable {
  /// Pays an amount, and emits the number of the receipt.
  func pay(_ amount: Int) -> Observable<String>
}

/// A bank behind a simulated network: it accepts every payment.
package struct SimulatedBank: Bank, CardBank {
  private let latency: Duration

  /// Creates a bank that responds after `latency`.
  package init(latency: Duration) {
    self.latency = latency
  }

  /// Emits a receipt that is the same for the same amount.
  package func pay(_ amount: Int) -> Observable<String> {
    .run { [latency] send in
      try await Task.sleep(for: latency)
      send("R-\(amount)")
    }
  }

  /// Emits a receipt that is the same for the same key, and declines the card `empty`.
  package func charge(_ amount: Int, card: String, key: String) -> Observable<String> {
    .run { [latency] send in
      try await Task.sleep(for: latency)
      guard card != "empty" else { throw CardDeclined() }
      send("C-\(key)")
    }
  }
}
