extension SettingsTable {
  /// What `reactord --help` prints.
  static let overview = """
    reactord hosts reactors over HTTP and streams their states.

    Usage:
      reactord serve [--config FILE] [--SETTING VALUE ...]   run the daemon
      reactord log TASK [--store sqlite:PATH] [--config FILE] work with a store:
        verify    fold every session anew; compare with its snapshots, and twice
        export    write all sessions to standard output, a JSON object a line
        import    read an export from standard input, all of it or nothing
        backup    copy the store, while it is served, to the file that --to FILE names
        compact   remove what log.retain does not keep, and give the room back
      reactord watch URL [--json]                            print a session's State, and what changes
      reactord send URL ACTION [--wait SECONDS]              send a session an action, print its State
      reactord health [--url URL]                            exit 0 if a running daemon is healthy
      reactord defaults                                      print the commented default configuration
      reactord --help | --version

    'reactord serve --help' lists all settings.
    """

  /// What `reactord serve --help` prints: every setting with its flag, its environment variable,
  /// its default and its meaning.
  var help: String {
    let defaults = Configuration()
    var help = """
      Usage: reactord serve [--config FILE] [--SETTING VALUE ...]

      A flag wins over the environment, the environment over the file, the file over the default.
      Durations are seconds, sizes are bytes. 'reactord defaults' prints a file to start from.

      Flags:
        --config FILE
            A configuration file (JSON5).
            environment REACTORD_CONFIG
        --help
            Print this and exit.
        --version
            Print the version and exit.

      Settings:

      """
    for setting in settings {
      help += """
          \(setting.flag) \(setting.placeholder)
              \(setting.help)
              default \(setting.text(defaults)), environment \(setting.variable)

        """
    }
    return String(help.dropLast())
  }
}
