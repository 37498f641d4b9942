export interface HostPort {
  readonly host: string
  readonly port: string
}

/**
 * The two parts of `host:port` or `[host]:port`, not looked into; undefined where `text` has another form.
 * Mirrors `net.SplitHostPort` of Go.
 */
export function splitHostPort(text: string): HostPort | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || port === undefined ? undefined : { host, port }
}
