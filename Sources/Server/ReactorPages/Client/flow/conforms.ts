import * as client from "./flow.js";
import type * as declared from "../../flow";

// Each declaration has an implementation of its type, and each export a declaration.
export const implementation: typeof declared = client;
export const declarations: keyof typeof declared = "" as keyof typeof client;
