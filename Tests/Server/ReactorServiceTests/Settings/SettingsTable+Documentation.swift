@testable import ReactorService

extension SettingsTable {
  /// The page of the documentation that lists all settings, which a test compares with `Settings.md`.
  var documentation: String {
    var page = """
      # Settings

      Every setting with its default and the values that it accepts.

      ## Overview

      A setting has one name. `streams.heartbeat` is the key `heartbeat` in the object `streams` of the
      configuration file, the flag `--streams-heartbeat` and the environment variable
      `REACTORD_STREAMS_HEARTBEAT`. A flag overrides the environment, the environment the file that
      `--config` or `REACTORD_CONFIG` names, and the file the default. Durations are in seconds, sizes in
      bytes.

      `reactord defaults` prints a configuration file that sets everything to its default.

      | Setting | Default | Accepts | Meaning |
      | --- | --- | --- | --- |

      """
    let defaults = Configuration()
    for setting in settings {
      page += """
        | `\(setting.name)` | `\(setting.literal(defaults))` | \(setting.expected) | \(setting.help) |

        """
    }
    return page
  }
}
