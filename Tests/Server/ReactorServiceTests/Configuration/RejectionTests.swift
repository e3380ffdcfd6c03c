import ReactorService
import Testing

struct RejectionTests {
  @Test(arguments: [
    (["serve", "--nope"], "unknown flag --nope"),
    (["serve", "--session-idle"], "unknown flag --session-idle; did you mean --sessions-idle?"),
    (["serve", "--paus"], "unknown flag --paus; did you mean --paused?"),
    (["serve", "--cluster-lis"], "unknown flag --cluster-lis; did you mean --cluster-listen?"),
    (["serve", "--nope=1"], "unknown flag --nope"),
    (
      ["serve", "--limits-headers=1"],
      "unknown flag --limits-headers; limits.headers is a constant now: 16 KiB"
    ),
    (["serve", "--limits"], "unknown flag --limits"),
    (["serve", "-x"], "unknown flag -x"),
    (["serve", "--url", "http://localhost"], "unknown flag --url"),
    (["serve", "--"], "unknown flag --"),
    (["serve", "now"], "unexpected argument \"now\""),
    (["serve", "--listen"], "--listen needs a value"),
    (["serve", "--listen", "--store", "memory"], "--listen needs a value"),
    (["serve", "--help=yes"], "--help takes no value"),
    (["server"], "unknown command \"server\"; did you mean serve?"),
    (["send", "--wiat", "2"], "unknown flag --wiat; did you mean --wait?"),
    (["changes", "--reactr", "a"], "unknown flag --reactr; did you mean --reactor?"),
    (["log", "verfy"], "unknown task \"verfy\"; did you mean verify?"),
    (["quarantine", "lst"], "unknown task \"lst\"; did you mean list?"),
    (["auth", "explan"], "unknown task \"explan\"; did you mean explain?"),
    (["serv"], "unknown command \"serv\"; did you mean serve?"),
    (["start"], "unknown command \"start\"; see 'reactord --help'"),
    (["--listen", "x"], "unknown flag --listen; flags of the daemon follow 'reactord serve'"),
    (["defaults", "x"], "'reactord defaults' takes no arguments"),
    (
      ["serve", "--store", "postgres://ada:secret@db/app"],
      "--store: other users see the password of an argument; set it in the file of settings, "
        + "REACTORD_STORE or PGPASSFILE"
    ),
    ([], "a command is missing"),
  ])
  func `an invalid command line is an error with exit code 64`(
    _ arguments: [String], _ message: String
  ) throws {
    let error = try #require(CommandLineCase(arguments: arguments).error())
    #expect(error.message == message)
    #expect(error.exitCode == 64)
  }

  @Test(arguments: [
    ("--streams-heartbeat=0", "expected a number of seconds from 0.1 to 3600, found 0"),
    ("--streams-heartbeat=", "expected a number of seconds from 0.1 to 3600, found nothing"),
    ("--streams-heartbeat=1s", "expected a number of seconds from 0.1 to 3600, found 1s"),
    ("--streams-heartbeat=nan", "expected a number of seconds from 0.1 to 3600, found nan"),
    ("--streams-heartbeat=inf", "expected a number of seconds from 0.1 to 3600, found inf"),
    ("--streams-heartbeat=1e400", "expected a number of seconds from 0.1 to 3600, found 1e400"),
    ("--streams-heartbeat=0x1", "expected a number of seconds from 0.1 to 3600, found 0x1"),
    ("--limits-rate=1.5", "expected a whole number from 0 to 1000000, found 1.5"),
    (
      "--limits-rate=99999999999999999999",
      "expected a whole number from 0 to 1000000, found 99999999999999999999"
    ),
    ("--limits-body=-1", "expected a number of bytes from 1 to 1073741824, found -1"),
    ("--log-level=loud", "expected one of trace, debug, info, warning, error, found loud"),
    (
      "--store=disk",
      "expected memory, sqlite:PATH or postgres://USER@HOST/DATABASE, found disk"
    ),
    (
      "--store=nats://b1:4222,b2:4222",
      "expected memory, sqlite:PATH or postgres://USER@HOST/DATABASE, found nats://b1:4222,b2:4222"
    ),
    (
      "--store=mysql://ada:a@secret@db/app",
      "expected memory, sqlite:PATH or postgres://USER@HOST/DATABASE, found mysql://***@db/app"
    ),
    (
      "--auth-jwt-audience=,",
      "expected texts that are not empty, separated by commas, found ,"
    ),
    (
      "--auth-jwt-audience=a, ,b",
      "expected texts that are not empty, separated by commas, found a, ,b"
    ),
    (
      "--http-hosts=a b",
      "expected host names without ports, separated by commas, or *, found a b"
    ),
    (
      "--http-hosts=example.com,http://example.org",
      "expected host names without ports, separated by commas, or *, found example.com,http://example.org"
    ),
    (
      "--http-hosts=*.example.com",
      "expected host names without ports, separated by commas, or *, found *.example.com"
    ),
    ("--cluster-name=a.b", "expected a name of 1 to 32 of A-Z a-z 0-9 _ -, found a.b"),
    ("--cluster-suspect=0.5", "expected a number of seconds from 1 to 60, found 0.5"),
    (
      "--listen=8080",
      "expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or [::1]:8080, or"
        + " unix:PATH, found 8080"
    ),
  ])
  func `an invalid value is an error with exit code 78 and the accepted values`(
    _ flag: String, _ reason: String
  ) throws {
    let error = try #require(CommandLineCase(serve: flag).error())
    let name = flag.prefix { $0 != "=" }
    #expect(error.message == "\(name): \(reason)")
    #expect(error.exitCode == 78)
  }

  @Test func `an invalid variable is reported by its name`() throws {
    let line = CommandLineCase(
      arguments: ["serve"], environment: ["REACTORD_HTTP_WORKERS": "many"])
    let error = try #require(line.error())
    #expect(
      error.message
        == "REACTORD_HTTP_WORKERS: expected a whole number from 0 to 1024, found many")
    #expect(error.exitCode == 78)
  }

  @Test func `an unreadable file is reported with the reason`() throws {
    let line = CommandLineCase(serve: "--config", "nowhere")
    let error = try #require(line.error())
    #expect(
      error.message
        == "cannot read the configuration file \"nowhere\": No such file or directory")
    #expect(error.exitCode == 78)
  }
}
