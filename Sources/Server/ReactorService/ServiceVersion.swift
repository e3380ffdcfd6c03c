/// The version of the service.
public enum ServiceVersion {
  /// The semantic version, which the image label and the changelog repeat.
  public static let current = "0.2.0"

  /// The output of `reactord --version`.
  static var line: String { "reactord \(current)" }
}
