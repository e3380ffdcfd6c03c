// The types of a context: the names of sessions, and the logger.
@_exported public import ReactorLog
@_exported public import Telemetry
