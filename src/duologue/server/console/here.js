/** Where this server is: its pages may stand below a path of another application, or of a proxy. */

/** The server's own address, with a slash at its end: one folder above the modules. */
export const ROOT = new URL("../", import.meta.url);

/** The full address of something on this server, given as a path, with or without a slash before it. */
export function at(path) {
  return new URL(`./${path.replace(/^\/+/, "")}`, ROOT);
}
