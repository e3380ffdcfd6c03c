internal import ReactorLog

/// Executes asynchronous functions, at most ``StreamReader/parallel`` at the same time.
enum Concurrently {
  /// Executes a function for each element, several at the same time, and returns the values in
  /// order.
  ///
  /// - Throws: The error of the first element whose execution failed, after all have ended.
  static func values<Elements: Collection, Value: Sendable>(
    _ elements: Elements,
    _ body: @escaping @Sendable (Elements.Element) async throws(LogError) -> Value
  ) async throws(LogError) -> [Value] where Elements.Element: Sendable {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for result in await results(elements, body) { values.append(try result.get()) }
    return values
  }

  /// Executes a function for each element, several at the same time, and returns the results in
  /// order.
  static func results<Elements: Collection, Value: Sendable>(
    _ elements: Elements,
    _ body: @escaping @Sendable (Elements.Element) async throws(LogError) -> Value
  ) async -> [Result<Value, LogError>] where Elements.Element: Sendable {
    await withTaskGroup(of: (Int, Result<Value, LogError>).self) { group in
      var results: [(Int, Result<Value, LogError>)] = []
      for (index, element) in elements.enumerated() {
        if index >= StreamReader.parallel, let result = await group.next() {
          results.append(result)
        }
        group.addTask {
          do throws(LogError) {
            return (index, .success(try await body(element)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      for await result in group { results.append(result) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
