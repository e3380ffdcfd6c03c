// Cursors, `{epoch}-{version}`, and the composite ids of streams of several sessions.

import { hash } from "./requests.js";

/**
 * The cursor in an entity tag, which can be weak, and have the suffix of a content coding: a proxy
 * compresses responses.
 */
export const cursorOf = (tag) =>
  tag.trim().replace(/^(W\/)?"(.*)"$/, "$2").replace(/([-+; ]+(gzip|br|zstd|deflate))+$/, "");

/** The epoch and the version of a cursor. */
export function position(cursor) {
  const dash = cursor.lastIndexOf("-");
  return { epoch: cursor.slice(0, dash), version: Number(cursor.slice(dash + 1)) };
}

/** Whether a cursor has the epoch of another one and at least its version. */
export function hasReached(cursor, goal) {
  const [one, other] = [position(cursor), position(goal)];
  return one.epoch === other.epoch && one.version >= other.version;
}

/** The address of a session. The key is `{reactor}/{session}`. */
export function address(key) {
  const [name, id] = key.split("/");
  return `v1/reactors/${encodeURIComponent(name)}/sessions/${encodeURIComponent(id)}`;
}

// An event of several sessions has the cursors of all of them as its id,
// `4w9xd.k3x9q2-17~p0c7m.8dn2vg-3`, each after a tag that is derived from the session's key.

/** The tag of a key: 25 bits of its hash. */
function tag(key) {
  let bits = hash(key);
  bits ^= bits >>> 25;
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  return [0, 5, 10, 15, 20].map((shift) => alphabet[(bits >>> shift) & 31]).join("");
}

/** The cursor of one session in a composite id. */
export function cursorIn(id, key) {
  const prefix = `${tag(key)}.`;
  return id.split("~").find((entry) => entry.startsWith(prefix))?.slice(prefix.length) ?? "";
}

/** The composite id of all sessions whose State is known. */
export const compositeID = (sessions) =>
  [...sessions].filter(([, { held }]) => held)
    .map(([key, { held }]) => `${tag(key)}.${held.cursor}`).join("~");
