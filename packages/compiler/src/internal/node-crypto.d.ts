/** The only Node function in use, declared manually so that the package has no access to other Node built-ins. */
declare module 'node:crypto' {
  export function hash(algorithm: 'sha256', data: string, outputEncoding: 'latin1'): string
}
