extension Result {
  /// The error, or `nil` for a success.
  var failure: Failure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}
