package import MicrohttpdServer
package import ReactorHTTP
public import ReactorHost
internal import TerminalClient

/// The values of all settings.
///
/// A fresh value holds the defaults. Each default is the initial value of the property that holds the
/// setting, here or in the settings of the host, the API and the server, and is written nowhere else:
/// ``settings`` refers to it by key path, and the help, the commented file, the documentation and the
/// parser read it from there.
public struct Configuration: Sendable {
  /// `listen`: the address to listen on.
  package var listen = ListenAddress(host: "127.0.0.1", port: 8080)

  /// `http.workers`: the number of request worker threads; 0 derives it from the number of cores.
  public var workers = 0

  /// `http.compression`: the size from which responses are compressed, in bytes; 0 disables it.
  public var compressionMinimum = 1_400

  /// `http.hosts`: the accepted names in `Host`; empty derives them from `listen`.
  public var hostNames: Set<String> = []

  /// `pages`: the path of the folder of one's own web pages; empty for none.
  public var pages = ""

  /// `pages.fallback`: whether a page without a file is the `index.html` of the folder.
  public var hasFallbackPage = false

  /// The settings of credentials and rights.
  public var authentication = AuthenticationSettings()

  /// `store`: where session logs are stored.
  public var store = StoreChoice.sqlite(path: "data/reactord.db")

  /// `cluster.wait`: how long requests wait for a database that does not confirm a change.
  public var clusterWait = Duration.seconds(15)

  /// `cluster.name`: the schema of the tables of a store in a database.
  public var clusterName = ClusterName.standard

  /// `cluster.node`: the name of this node; empty derives it from the machine and the address.
  public var clusterNode = NodeName.automatic

  /// `cluster.listen`: the address for the other nodes of a store in PostgreSQL, or `nil` for one process alone.
  public var clusterListen: LinkListenAddress = .none

  /// `cluster.address`: the address at which the others reach this node; empty for that of `cluster.listen`.
  public var clusterAddress: LinkListenAddress = .none

  /// `cluster.secret`: the path of the file with the secret of the nodes; empty for none.
  public var clusterSecret = ""

  /// `cluster.suspect`: the time without an announcement after which a node counts as failed.
  public var clusterSuspect = Duration.seconds(2)

  /// `log.retain`: how much of each session's log is retained.
  public var retention = RetentionRules()

  /// `changes.keep`: how long the changes of all sessions are retained; zero for not at all.
  public var changeRetention = Duration.zero

  /// `log.level`: the minimum level of log lines.
  public var logLevel = LogLevel.info

  /// `log.format`: the format of log lines.
  public var logFormat = LogFormat.text

  /// `supervise`: whether the service runs in a child process that is restarted after a crash.
  public var isSupervised = true

  /// The time after which a supervised service is replaced if one of its threads does not respond.
  public var watchdog = Duration.seconds(10)

  /// `paused`: whether the service only serves reads.
  public var isPaused = false

  /// How long to wait at the start for another process to release the store, or for its database: a database starts,
  /// and a predecessor drains, within a minute.
  public var startWait = Duration.seconds(60)

  /// `shutdown.grace`: the time limit for draining.
  public var shutdownGrace = Duration.seconds(10)

  /// `shutdown.delay`: how long requests are served after the request to stop.
  public var shutdownDelay = Duration.zero

  /// The settings of the session runtime.
  public var host = HostSettings()

  /// `limits.memory`: the bytes of memory that the service may use, or 0 for those of its control group or the
  /// machine.
  public var memory = 0

  /// The settings of the HTTP API.
  ///
  /// Its compression, credentials, metrics and version are derived when the service starts.
  package var api = ReactorAPI.Settings()

  /// The settings of the HTTP server.
  ///
  /// Its endpoints, workers and exemptions are derived when the service starts.
  package var server = MicrohttpdServer.Settings()

  /// The values of settings declared by the program that registers the reactors, by name.
  var extras: [String: any Sendable] = [:]

  /// Creates a configuration in which every setting has its default.
  public init() {}

  /// The value of a setting declared by the program that registers the reactors.
  public subscript<Value>(setting: ExtraSetting<Value>) -> Value {
    extras[setting.name] as? Value ?? setting.defaultValue
  }
}
