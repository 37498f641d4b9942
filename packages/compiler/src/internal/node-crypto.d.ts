/** The only Node.js function in use. It is declared here, so that the package has no access to other Node.js built-ins. */
declare module 'node:crypto' {
  export function hash(algorithm: 'sha256', data: string, outputEncoding: 'latin1'): string
}
