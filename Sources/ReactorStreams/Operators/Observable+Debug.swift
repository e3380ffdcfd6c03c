extension ObservableType {
  /// This stream; what happens to it is printed.
  ///
  /// - Parameters:
  ///   - identifier: Begins each line, instead of the place in the source.
  ///   - trimOutput: Whether long events are shortened.
  ///   - file: The file that is named where there is no identifier.
  ///   - line: The line that is named where there is no identifier.
  ///   - function: The function that is named where there is no identifier.
  /// - Returns: The same stream.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
  ) -> Observable<Element> {
    debug(identifier ?? "\(file):\(line) (\(function))", trimOutput: trimOutput) { print($0) }
  }

  /// This stream; what happens to it is told to a closure, a line at a time.
  package func debug(
    _ identifier: String, trimOutput: Bool, write: @escaping @Sendable (String) -> Void
  ) -> Observable<Element> {
    let longest = 40
    let tell: @Sendable (String) -> Void = { write("\(identifier) -> \($0)") }
    return self.do(
      onNext: { element in
        let text = "\(element)"
        let isLong = trimOutput && text.count > longest
        let shown =
          isLong ? "\(text.prefix(longest / 2))...\(text.suffix(longest / 2))" : text
        tell("Event next(\(shown))")
      },
      onError: { tell("Event error(\($0))") },
      onCompleted: { tell("Event completed") },
      onSubscribe: { tell("subscribed") },
      onDispose: { tell("isDisposed") })
  }
}
