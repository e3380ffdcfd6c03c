// Asks for a token where the service requires one; see `auth.tokens`.

import { request } from "../reactor.js";
import { needsToken, tokenForm, useToken } from "../token.js";

async function check() {
  document.querySelector("main > form.token")?.remove();
  try {
    await request("v1/reactors");
  } catch (problem) {
    if (!needsToken(problem)) return;
    // With a token the sessions of the page reopen by themselves.
    document.querySelector("main").prepend(tokenForm(check));
  }
}

useToken();
check();
