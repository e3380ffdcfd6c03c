// The token that the page's function returns: requested at the start, before the token expires, and
// after it was rejected.

import { settings } from "./requests.js";

/** @type {Promise<{ text: string | null, renewal: number }> | undefined} */
let current;

/** The milliseconds for which a new JSON Web Token is valid; `Infinity` if that is not known. */
function lifetime(text) {
  try {
    const payload = text.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const { exp, iat } = JSON.parse(atob(payload));
    // A new token that seems expired has the time of another clock. If the token is in fact expired, the
    // server rejects it.
    return [exp * 1_000 - Date.now(), (exp - iat) * 1_000].find((time) => time > 0) ?? Infinity;
  } catch {
    return Infinity;
  }
}

async function obtain() {
  const text = await settings.token?.() ?? null;
  const rest = lifetime(text);
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
