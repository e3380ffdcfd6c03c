// The log protocol and the logger are part of the host's public interface, so that code which embeds
// a host needs one import.
@_exported public import ReactorLog
@_exported public import ReactorSessions
@_exported public import Telemetry
// The types that a registration and the types of a reactor name.
@_exported public import protocol ReactorCoding.DecodingDefaults
@_exported public import struct ReactorCoding.JSONUpgrade
@_exported public import enum ReactorCoding.JSONValue
@_exported public import struct ReactorCoding.MemberDefaults
