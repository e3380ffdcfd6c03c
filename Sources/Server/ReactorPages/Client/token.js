// The token that the page's function returns: requested at the start, before the token expires, and
// after it was rejected.

import { settings } from "./requests.js";

/** @type {Promise<{ text: string | null, renewal: number }> | undefined} */
let current;

/** @type {{ user: string, rights: string } | undefined} */
let identity;
let changed = () => {};

/**
 * The user that the current token names, and the rights in it; `undefined` before the first token, and for a
 * token that names no user.
 */
export const tokenIdentity = () => identity;

/** Sets the function to call when a token is that of another user, or has other rights. */
export function onIdentityChange(body) {
  changed = body;
}

/** The claims of a JSON Web Token, which the server verifies; none of any other token. */
function claims(text) {
  try {
    return JSON.parse(atob(text.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))) ?? {};
  } catch {
    return {};
  }
}

/** The milliseconds for which a new token is valid; `Infinity` if that is not known. */
function lifetime({ exp, iat }) {
  // A new token that seems expired has the time of another clock. If the token is in fact expired, the
  // server rejects it.
  return [exp * 1_000 - Date.now(), (exp - iat) * 1_000].find((time) => time > 0) ?? Infinity;
}

function identify(text, { iss, sub, reactord, scope }) {
  const user = settings.user ?? (sub === undefined ? undefined : JSON.stringify([iss, sub]));
  const former = JSON.stringify(identity);
  identity = text === null || user === undefined
    ? undefined : { user, rights: JSON.stringify([reactord, scope]) };
  if (JSON.stringify(identity) !== former) changed();
}

async function obtain() {
  const text = await settings.token?.() ?? null;
  const found = claims(text);
  const rest = lifetime(found);
  identify(text, found);
  // Renew it a fifth of its lifetime before its end, at most 10 s: clocks differ, requests take time.
  return { text, renewal: Date.now() + rest - Math.min(10_000, rest / 5) };
}

async function token() {
  current ??= obtain();
  const known = current;
  try {
    return await known;
  } catch (error) {
    // The next request calls the function again.
    if (current === known) current = undefined;
    throw error;
  }
}

/** The text of a token that is valid now; `null` for none. */
export async function currentToken() {
  if (!settings.token) return null;
  if (Date.now() >= (await token()).renewal) forgetToken();
  return (await token()).text;
}

/** The milliseconds until the current token is to be replaced; `Infinity` if that is not known. */
export async function timeToRenewal() {
  if (!settings.token) return Infinity;
  return (await token()).renewal - Date.now();
}

/** Discards the token, so that the next request obtains a new one. */
export function forgetToken() {
  current = undefined;
}
