/// The version of the service, told by `reactord --version` and wherever a client may ask.
public enum ServiceVersion {
  /// The version (semver.org).
  public static let current = "0.1.0"

  /// What `--version` prints.
  static var line: String { "reactord \(current)" }
}
