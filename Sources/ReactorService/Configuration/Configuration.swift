/// What the daemon was told: one value for each setting, grouped as in the settings' names.
///
/// A fresh value holds the defaults, and this is the only place where they stand: the help, the
/// commented file and the parser read them from here.
public struct Configuration: Sendable {
  /// `listen`: where the server accepts connections.
  public var listen = ListenAddress(host: "127.0.0.1", port: 8080)

  /// `store`: where the logs of the sessions are kept.
  public var store = StoreChoice.sqlite(path: "data/reactord.db")

  /// `sessions.*`: the life of a session.
  public var sessions = Sessions()

  /// `actions.*`: how actions are taken and answered.
  public var actions = Actions()

  /// `streams.*`: server-sent events.
  public var streams = Streams()

  /// `log.*`: what is kept of a session, and what the daemon tells its operator.
  public var log = Log()

  /// `limits.*`: what a client may use.
  public var limits = Limits()

  /// `http.*`: the transport.
  public var http = HTTP()

  /// `cors.*`: web pages of other origins.
  public var cors = CORS()

  /// `auth.*`: who may do what.
  public var auth = Auth()

  /// `start.*`: the way to the first answer.
  public var start = Start()

  /// `shutdown.*`: the way to the end.
  public var shutdown = Shutdown()

  /// Values of the settings that whoever registers reactors declared, by name.
  var extras: [String: any Sendable] = [:]

  /// Makes the configuration that holds when nothing is configured.
  public init() {}

  /// The value of a setting that is not the service's own: as configured, else its default.
  public subscript<Value>(setting: ExtraSetting<Value>) -> Value {
    extras[setting.name] as? Value ?? setting.defaultValue
  }
}
