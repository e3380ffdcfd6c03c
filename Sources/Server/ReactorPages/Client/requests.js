// Requests, and the problems of those that fail.

import { currentToken, forgetToken, tokenIdentity } from "./token.js";

/** How the server is reached; see `configure`. */
export const settings = {
  base: new URL(".", import.meta.url).href,
  headers: /** @type {Record<string, string>} */ ({}),
  /** @type {(() => Promise<string | null> | string | null) | undefined} */
  token: undefined,
  /** @type {string | undefined} */
  name: undefined,
  /** @type {string | undefined} */
  user: undefined,
  isShared: true,
  offlineQueue: false,
};

/** The problem types of the server by status, except `effect-failed`, whose status the reactor chooses. */
const TYPES = {
  400: "invalid-parameter invalid-session-id malformed-json",
  401: "unauthorized",
  403: "forbidden foreign-origin internal-action",
  404: "changes-disabled not-found unknown-global unknown-reactor unknown-session unknown-version",
  405: "method-not-allowed",
  406: "not-acceptable",
  409: "action-running session-exists",
  410: "cursor-expired session-ended",
  412: "version-mismatch",
  413: "body-too-large",
  415: "unsupported-media-type",
  421: "misdirected-request",
  422: "idempotency-key-reused invalid-action invalid-body invalid-pointer parameters-required state-not-object",
  429: "rate-limited",
  431: "headers-too-large",
  500: "action-crashed",
  503: "reactor-quarantined service-paused session-unreadable unavailable",
  507: "change-too-large state-too-large storage-full",
  508: "sends-too-deep",
};

/** Whether the server sends problems of a type with a status. */
function isServed(type, status) {
  const name = typeof type === "string" && type.startsWith("/problems/") && type.slice(10);
  return name === "effect-failed" ? status >= 400 : !!name && !!TYPES[status]?.split(" ").includes(name);
}

/** Whether a problem is that of a credential without the right. */
export const lacksRight = (problem) => [401, 403].includes(problem?.status);

/** Whether the body of a response has a media type. */
export const hasContent = (response, type) =>
  response.headers.get("Content-Type")?.split(";")[0].trim().toLowerCase() === type;

/**
 * An error response of the server (RFC 9457), or a failure to reach it (status 0).
 *
 * @implements {Declared}
 */
export class Problem extends Error {
  /** The value of `Retry-After`, in seconds. @type {number | undefined} */
  retryAfter;

  isForeign = false;

  /** @param {Declared["members"]} members */
  constructor(members) {
    const { title, detail } = members;
    // If the error of a reactor has no detail, the server sends its title as a sentence.
    super(detail && detail !== `${title}.` ? `${title}. ${detail}` : title);
    this.name = "Problem";
    this.members = members;
    this.status = members.status ?? 0;
  }

  /** Whether the same request may succeed later. */
  get isPassing() {
    if (this.isForeign) return true;
    const { type } = this.members;
    // A reactor chooses the status of its own rejections: they are final with any status.
    return type !== "/problems/effect-failed"
      && ([0, 429, 503].includes(this.status) || type === "/problems/action-running");
  }
}

/**
 * Sends a request to a path such as `v1/reactors`. Throws a `Problem` unless it succeeds.
 *
 * @type {(...parameters: [...Parameters<typeof import("../reactor").request>, number?]) => Promise<Response>}
 */
export async function request(path, options = {}, seconds = 30) {
  let response;
  try {
    response = await authorizedFetch(path, {
      ...options,
      headers: { Accept: "application/json", ...settings.headers, ...options.headers },
      // @ts-ignore: `any` is newer than the type library.
      signal: AbortSignal.any([AbortSignal.timeout(seconds * 1_000), options.signal].filter(Boolean)),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    // The error can be that of the function in `settings.token`.
    throw Object.assign(new Problem({ title: "The server did not respond" }), { cause: error });
  }
  // The server sends no page to a request for JSON.
  if (response.ok && (options.headers?.["Accept"] || !hasContent(response, "text/html"))) return response;
  throw await problemOf(response);
}

/**
 * The problem in a response. A response without a problem of a type that the server sends with the status is
 * foreign.
 */
export async function problemOf(response) {
  const { status } = response;
  const isProblem = hasContent(response, "application/problem+json");
  const members = isProblem ? await response.json().catch(() => null) : null;
  // A service below a path has its problem types there.
  if (typeof members?.type === "string") members.type = members.type.replace(/^\/.*(?=\/problems\/)/, "");
  const isForeign = !isServed(members?.type, status);
  const problem = new Problem(isForeign ? {
    title: `The server responded with ${status}`, status,
    detail: "The response is not one of reactord: check the address, and proxies before the server.",
  } : { title: `The server responded with ${status}`, ...members, status });
  problem.isForeign = isForeign;
  problem.retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  return problem;
}

/** Fetches with the current token, and again with a new token if the server rejects it. */
export async function authorizedFetch(path, options) {
  const attempt = async () => {
    const token = await currentToken();
    const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...options.headers };
    return fetch(new URL(path, settings.base), { ...options, headers });
  };
  const response = await attempt();
  if (response.status !== 401 || !settings.token) return response;
  forgetToken();
  return attempt();
}

/** Exponential backoff with jitter, so that clients do not reconnect at the same moment. */
export const backOff = (failures, first = 500) =>
  Math.min(first * 2 ** failures, 20_000) * (0.5 + Math.random() / 2);

/** 128 random bits. `crypto.randomUUID` exists in secure contexts only. */
export const randomID = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");

const pageID = randomID();

/** FNV-1a, 32 bits. */
export function hash(text, seed = 2_166_136_261) {
  return new TextEncoder().encode(text)
    .reduce((value, byte) => Math.imul(value ^ byte, 16_777_619), seed) >>> 0;
}

/**
 * Identifies the server and the credential. Tabs share a connection only if both are equal, since a
 * connection delivers what its credential may read.
 */
export function scope() {
  const identity = settings.token && tokenIdentity();
  // If the user of a function's tokens is unknown, the connection is not shared, and no State is restored.
  if (settings.token && !identity) return `reactord 4 ${settings.base} ${pageID}`;
  const headers = JSON.stringify([sortedHeaders(), settings.name, identity?.user ?? settings.user, identity?.rights]);
  // The number is the version of the messages between tabs. The headers are hashed, since the names
  // of locks and channels are visible to every page of the origin.
  return `reactord 4 ${settings.base} ${hash(headers)}.${hash(headers, 1)}`;
}

const sortedHeaders = () =>
  Object.entries(settings.headers).map(([name, value]) => [name.toLowerCase(), value]).sort();

/** Identifies the server and the user, whose stored actions are sent; `undefined` if the user is unknown. */
export function owner() {
  const user = settings.token ? tokenIdentity()?.user : settings.user ?? sortedHeaders();
  if (user === undefined) return undefined;
  const text = JSON.stringify([!!settings.token, user]);
  return `reactord queue ${settings.base} ${hash(text)}.${hash(text, 1)}`;
}

/** @typedef {import("../reactor").Problem} Declared */
