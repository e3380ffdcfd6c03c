extension SettingsTable {
  /// The output of `reactord --help`.
  static let overview = """
    reactord serves reactors over HTTP and streams their states.

    Usage:
      reactord serve [--config FILE] [--SETTING VALUE ...]   run the daemon
      reactord log TASK [--store STORE] [--config FILE]      maintain a store:
        verify    replay every session and compare the result with its snapshots; exits with 0 if
                  the store is sound, 65 if it is damaged, 4 if this release cannot read a session,
                  3 if a reactor is not pure, 5 if this program does not host all of its reactors
        check     find stored data that this release of the reactors cannot read
        export    write all sessions to standard output, one JSON object per line;
                  --sample N: N sessions per reactor, as a fixture for tests, without principals
                  and keys; --drop /PATH: without the content of this member
        import    import an export from standard input, completely or not at all; with
                  --damaged skip, without the sessions and globals that are damaged
        backup    copy the store to the file of --to FILE; the daemon may be running
        migrate   convert a store of an earlier release, after printing how much disk that takes
        compact   delete what log.retain does not retain, and shrink the file
      reactord quarantine list|clear [--store STORE]         actions that crashed the daemon: print
                                                             them, or permit them again
      reactord auth explain --right RIGHT [--on REACTOR/ID]  which rule of auth grants a right, and what is missing;
          [--do ACTION] [--token FILE] [--config FILE]       --token FILE: the token; otherwise REACTORD_TOKEN
      reactord watch URL [--json]                            print a session's State and its changes
      reactord changes URL [--reactor NAME] [--session ID]   print one line per change of all sessions
          [--with entries|state] [--after-file FILE]
      reactord send URL ACTION [--wait SECONDS]              send an action and print the State
          'watch', 'changes' and 'send' take [--token FILE]  --token FILE: the token; otherwise REACTORD_TOKEN
          [--header NAME:VALUE]                              --header: a further field of the requests
      reactord new NAME [--package PATH|URL]                 write a package with one reactor, or with those of
          [--example chat|auction|order|cart] [--rx]         an example; with a bridge to RxSwift
      reactord health [--url URL]                            exit with 0 if a daemon is healthy
      reactord defaults                                      print the default configuration file
      reactord --help | --version

    'reactord serve --help' lists all settings.
    """

  /// The output of `reactord serve --help`.
  var help: String {
    let defaults = Configuration()
    var help = """
      Usage: reactord serve [--config FILE] [--SETTING VALUE ...]

      A flag overrides the environment, the environment the file, the file the default.
      Durations are in seconds, sizes in bytes. 'reactord defaults' prints a configuration file.

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
      let text = setting.text(defaults)
      help += """
          \(setting.flag) \(setting.placeholder)
              \(setting.help)
              Accepts \(setting.expected).
              default \(text.isEmpty ? "empty" : text), environment \(setting.variable)

        """
    }
    return String(help.dropLast())
  }
}
