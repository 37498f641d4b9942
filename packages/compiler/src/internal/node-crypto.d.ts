/** The one function of Node used here, declared by hand so that the package sees no other Node built-in. */
declare module 'node:crypto' {
  export function hash(algorithm: 'sha256', data: string, outputEncoding: 'latin1'): string
}
