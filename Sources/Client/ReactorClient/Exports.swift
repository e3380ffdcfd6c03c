// One import suffices: the client's functions use the types of both.
@_exported public import ClientCore
@_exported public import ReactorCore
// The types of a State or an Action name them.
@_exported public import protocol ReactorCoding.DecodingDefaults
@_exported public import struct ReactorCoding.MemberDefaults
