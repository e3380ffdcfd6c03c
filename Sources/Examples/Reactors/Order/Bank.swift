package import ReactorCore

/// A service that accepts payments.
package protocol Bank: Sendable {
  /// Pays an amount, and emits the number of the receipt.
  func pay(_ amount: Int) -> Observable<String>
}

/// A bank behind a simulated network: it accepts every payment.
package struct SimulatedBank: Bank {
  let latency: Duration

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
}
