import * as client from "./client.js";
import type * as declared from "../reactor";

// Each declaration has an implementation of its type, and each export a declaration.
export const implementation: typeof declared = client;
export const declarations: keyof typeof declared = "" as keyof typeof client;
