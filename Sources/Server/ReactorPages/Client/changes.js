// The changes of all sessions.

import { parse } from "./json.js";
import { StreamReader } from "./reader.js";
import { backOff, Problem, problemOf, request } from "./requests.js";
import { forgetToken } from "./token.js";

/**
 * The changes of all sessions, in the order of commits; see `/reactor.d.ts`.
 *
 * @type {typeof import("../reactor").changes}
 */
export async function* changes(options = {}) {
  const { after, reactor, session, with: content, follow = true, signal } = options;
  const query = new URLSearchParams();
  for (const name of [reactor ?? []].flat()) query.append("reactor", name);
  if (session !== undefined) query.set("session", session);
  if (content) query.set("with", content);
  if (after !== undefined) query.set("after", after);
  if (!follow) return yield* pages(`v1/changes?${query}`, signal);
  const reader = new StreamReader();
  let retry = 500;
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const stream = new AbortController();
    const end = () => stream.abort();
    signal?.addEventListener("abort", end);
    let retryAfter = 0;
    try {
      for await (const event of reader.read(`v1/changes/events?${query}`, stream, end)) {
        if (event.rejection) {
          const problem = await problemOf(event.rejection);
          if (!problem.isPassing) throw problem;
          retryAfter = problem.retryAfter ?? 0;
          break;
        }
        if (event.retry) retry = event.retry;
        if (event.name === "expired") forgetToken();
        if (["expired", "draining"].includes(event.name ?? "")) break;
        failures = 0;
        const change = event.data === undefined ? undefined : parse(event.data);
        if (event.name === "reset") yield { kind: "reset", ...change };
        else if (change) yield { id: event.id, ...change };
        // The caller has used the change: a new stream begins after it.
        if (event.id !== undefined) query.set("after", event.id);
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
      // The stream was broken: the next one resumes it.
    } finally {
      stream.abort();
      signal?.removeEventListener("abort", end);
    }
    if (signal?.aborted) break;
    const delay = Math.max(backOff(failures, retry), retryAfter * 1_000);
    await new Promise((resolve) => {
      const timer = setTimeout(resume, delay);
      function resume() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", resume);
        resolve(undefined);
      }
      signal?.addEventListener("abort", resume);
    });
  }
}

async function* pages(path, signal) {
  while (path) {
    const response = await request(path, { signal }).catch((error) => {
      if (!signal?.aborted) throw error;
    });
    if (!response) return;
    yield* parse(await response.text());
    // Relative to the service: a proxy may have removed the path that it is below.
    path = /<[^>]*?\/(v1\/[^>]*)>; *rel="?next/.exec(response.headers.get("Link") ?? "")?.[1];
  }
}
