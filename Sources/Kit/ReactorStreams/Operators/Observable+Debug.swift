extension ObservableType {
  /// Prints the events of this stream.
  ///
  /// - Parameters:
  ///   - identifier: The prefix of each line; by default the location in the source.
  ///   - trimOutput: Whether long events are truncated.
  ///   - file: The file of the default identifier.
  ///   - line: The line of the default identifier.
  ///   - function: The function of the default identifier.
  /// - Returns: A stream of the same events.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
  ) -> Observable<Element> {
    debug(identifier ?? "\(file):\(line) (\(function))", trimOutput: trimOutput) { print($0) }
  }

  /// Passes the events of this stream to a closure as lines of text.
  package func debug(
    _ identifier: String, trimOutput: Bool, write: @escaping @Sendable (String) -> Void
  ) -> Observable<Element> {
    let maximumLength = 40
    let log: @Sendable (String) -> Void = { write("\(identifier) -> \($0)") }
    return self.do(
      onNext: { element in
        let text = "\(element)"
        let isLong = trimOutput && text.count > maximumLength
        let shown =
          isLong ? "\(text.prefix(maximumLength / 2))...\(text.suffix(maximumLength / 2))" : text
        log("Event next(\(shown))")
      },
      onError: { log("Event error(\($0))") },
      onCompleted: { log("Event completed") },
      onSubscribe: { log("subscribed") },
      onDispose: { log("isDisposed") })
  }
}
