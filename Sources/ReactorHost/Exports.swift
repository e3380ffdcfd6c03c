// The log protocol and the logger are part of the host's public interface, so that code which embeds
// a host needs one import.
@_exported public import ReactorLog
@_exported public import Telemetry
